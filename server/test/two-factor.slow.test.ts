import { generateSync } from 'otplib/functional';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resetTwoFactorByName } from '../src/modules/two-factor/index.ts';
import { createFirstPartyClient } from '../src/modules/auth/index.ts';
import { printIdentifier } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { refusalOf } from './factories.ts';
import { firstAdmin } from './first-admin.ts';

let api: TestApi;
const { username, password } = firstAdmin;

beforeEach(async () => {
  api = await startApi();
});
afterEach(() => api.close());

function codeFor(secret: string, steps = 0): string {
  return generateSync({ secret, epoch: Math.floor(api.clock.nowMs() / 1000) + steps * 30 });
}

async function signIn(otp?: string) {
  const { access_token: token } = await api.anyone.loginAdmin({
    body: { username, password, ...(otp ? { otp } : {}) },
  });
  return api.clientWith(token);
}

/** Enables the second factor, which uses the code of the current step. */
async function enable(client = api.admin) {
  const { data: enrollment } = await client.beginTwoFactor({ body: { password } });
  const { data } = await client.confirmTwoFactor({ body: { code: codeFor(enrollment.secret) } });
  api.clock.advance({ seconds: 60 });
  return { secret: enrollment.secret, recoveryCodes: data.recovery_codes };
}

/** Creates an administrator whose role has the permissions. */
async function addAdmin(name: string, permissions: readonly string[]) {
  const { pool } = api.app.connection;
  await pool.query(
    `with new_admin as (
      insert into admins (id, username, email, first_name, last_name, locale, timezone, password_hash, created_at, updated_at)
      select gen_random_uuid(), $1, $1 || '@example.com', 'A', 'B', 'en', 'UTC', password_hash, created_at, updated_at
      from admins where username = 'root' returning id
    ), new_role as (
      insert into roles (id, name, created_at, updated_at) select gen_random_uuid(), $1, now(), now() returning id
    ), granted as (
      insert into role_permissions (role_id, permission_id)
      select new_role.id, permissions.id from new_role, permissions where permissions.name = any($2)
    )
    insert into admin_roles (admin_id, role_id) select new_admin.id, new_role.id from new_admin, new_role`,
    [name, permissions],
  );
  const { rows } = await pool.query<{ id: string }>('select id from admins where username = $1', [name]);
  const { access_token: token } = await api.anyone.loginAdmin({ body: { username: name, password } });
  return { id: rows[0]?.id ?? '', client: api.clientWith(token), token };
}

async function readAuditActions(): Promise<string[]> {
  const { rows } = await api.app.connection.pool.query<{ action: string }>(
    'select action from audit_entries order by occurred_at, id',
  );
  return rows.map(({ action }) => action);
}

test('a second factor is active once a first code has confirmed it, and then signing in needs a code', async () => {
  const notEnabled = { object: 'TwoFactor', enabled: false, confirmed_at: null, recovery_codes_left: 0 };
  expect((await api.admin.readTwoFactor()).data).toEqual(notEnabled);
  const { data: enrollment } = await api.admin.beginTwoFactor({ body: { password } });
  expect(enrollment).toEqual({
    object: 'TwoFactorEnrollment',
    secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
    otpauth_url: `otpauth://totp/Foyer:root?secret=${enrollment.secret}&issuer=Foyer`,
    qr_code: expect.stringMatching(/^data:image\/svg\+xml,%3Csvg/),
  });
  expect((await api.admin.readTwoFactor()).data).toEqual(notEnabled);
  await signIn();
  const wrong = await refusalOf(api.admin.confirmTwoFactor({ body: { code: '000000' } }));
  expect([wrong.status, wrong.code, Object.keys(wrong.errors)]).toEqual([422, 'second-factor-wrong', ['code']]);
  const { data: codes } = await api.admin.confirmTwoFactor({ body: { code: codeFor(enrollment.secret) } });
  expect(new Set(codes.recovery_codes).size).toBe(10);
  expect((await api.admin.readTwoFactor()).data).toEqual({
    object: 'TwoFactor',
    enabled: true,
    confirmed_at: expect.stringMatching(/^2026-03-10T12:00:00\.\d{6}Z$/),
    recovery_codes_left: 10,
  });
  const missing = await refusalOf(signIn());
  expect([missing.status, missing.code, Object.keys(missing.errors)]).toEqual([422, 'second-factor-required', ['otp']]);
  api.clock.advance({ seconds: 30 });
  const withCode = await signIn(codeFor(enrollment.secret));
  expect((await withCode.readCallingAdmin()).data.username).toBe('root');
});

test('a wrong password does not reveal whether a second factor is set up', async () => {
  await enable();
  const refused = await refusalOf(
    api.anyone.loginAdmin({ body: { username, password: 'wrong password here', otp: '123456' } }),
  );
  expect(refused.code).toBe('wrong-credentials');
});

test('a code is valid in its own step of thirty seconds, and in the steps before and after it', async () => {
  const { secret } = await enable();
  for (const steps of [-2, 2]) {
    const refused = await refusalOf(signIn(codeFor(secret, steps)));
    expect([refused.status, refused.code]).toEqual([422, 'second-factor-wrong']);
  }
  await signIn(codeFor(secret, -1));
  await signIn(codeFor(secret, 0));
  await signIn(codeFor(secret, 1));
});

test('a code can be used once: the same one and older ones are then wrong', async () => {
  const { secret } = await enable();
  const code = codeFor(secret);
  await signIn(`${code.slice(0, 3)} ${code.slice(3)}`);
  expect((await refusalOf(signIn(code))).code).toBe('second-factor-wrong');
  expect((await refusalOf(signIn(codeFor(secret, -1)))).code).toBe('second-factor-wrong');
});

test('of twenty concurrent requests with the same code to two processes, exactly one succeeds', async () => {
  const { secret, recoveryCodes } = await enable();
  const other = await api.another();
  for (const otp of [codeFor(secret), recoveryCodes[0] ?? '']) {
    const attempts = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? api : other).anyone.request('loginAdmin', { body: { username, password, otp } }),
      ),
    );
    expect(attempts.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(attempts.filter(({ status }) => status === 422)).toHaveLength(19);
  }
  await other.close();
});

test('the code that confirmed the second factor cannot be used to sign in', async () => {
  const { data: enrollment } = await api.admin.beginTwoFactor({ body: { password } });
  const code = codeFor(enrollment.secret);
  await api.admin.confirmTwoFactor({ body: { code } });
  expect((await refusalOf(signIn(code))).code).toBe('second-factor-wrong');
});

test('a recovery code can be used once, in any spelling; its use is audited, and the other codes stay valid', async () => {
  const { recoveryCodes } = await enable();
  const [first = '', second = ''] = recoveryCodes;
  expect(first).toMatch(/^[A-Z2-9]{4}(-[A-Z2-9]{4}){3}$/);
  const client = await signIn(first.toLowerCase().replaceAll('-', ' '));
  expect((await refusalOf(signIn(first))).code).toBe('second-factor-wrong');
  expect((await client.readTwoFactor()).data.recovery_codes_left).toBe(9);
  await signIn(second);
  expect((await readAuditActions()).filter((action) => action === 'admin.recovery_code_used')).toHaveLength(2);
});

test('new recovery codes replace the old ones, and require the password and a code', async () => {
  const { secret, recoveryCodes } = await enable();
  const [old = ''] = recoveryCodes;
  const renew = (body: object) => api.admin.renewRecoveryCodes({ body: body as { password: string; code: string } });
  for (const body of [{}, { password }, { code: codeFor(secret) }])
    expect([(await refusalOf(renew(body))).code]).toEqual(['validation-failed']);
  const wrongPassword = await refusalOf(renew({ password: 'wrong password here', code: codeFor(secret) }));
  expect([wrongPassword.status, wrongPassword.code]).toEqual([422, 'wrong-credentials']);
  expect((await refusalOf(renew({ password, code: '000000' }))).code).toBe('second-factor-wrong');
  const { data } = await renew({ password, code: codeFor(secret) });
  expect((await refusalOf(signIn(old))).code).toBe('second-factor-wrong');
  await signIn(data.recovery_codes[0]);
});

test('a correct password does not reset the count of wrong codes, and sign-in is blocked after ten', async () => {
  const throttled = await startApi({ rateLimits: true });
  const { data: enrollment } = await throttled.admin.beginTwoFactor({ body: { password } });
  const code = () => generateSync({ secret: enrollment.secret, epoch: Math.floor(throttled.clock.nowMs() / 1000) });
  await throttled.admin.confirmTwoFactor({ body: { code: code() } });
  throttled.clock.advance({ seconds: 60 });
  const codes: string[] = [];
  for (let guess = 0; guess < 12; guess++) {
    const call = guess % 2 === 0 ? 'disableTwoFactor' : 'renewRecoveryCodes';
    const { body } = await throttled.admin.request(call, { body: { password, code: '000000' } });
    codes.push((body as { code: string }).code);
  }
  expect(codes).toEqual([
    ...Array.from({ length: 10 }, () => 'second-factor-wrong'),
    'too-many-requests',
    'too-many-requests',
  ]);
  expect((await refusalOf(throttled.admin.disableTwoFactor({ body: { password, code: code() } }))).status).toBe(429);
  await throttled.close();
});

test('the second factor can only be managed with a sign-in token with all scopes', async () => {
  const { data: personal } = await api.admin.createPersonalAccessToken({ body: { name: 'Script', scopes: ['*'] } });
  const newClient = await createFirstPartyClient(api.app.dependencies, 'narrow', 'admins');
  const narrowed = await api.anyone.request('issueToken', {
    body: {
      grant_type: 'password',
      client_id: printIdentifier('client', newClient.id),
      client_secret: newClient.secret,
      username,
      password,
      scope: 'admins:read admins:write',
    },
  });
  expect(narrowed.status).toBe(200);
  const tokens = [personal.token ?? '', (narrowed.body as { access_token: string }).access_token];
  for (const client of tokens.map((token) => api.clientWith(token))) {
    for (const refused of [
      await refusalOf(client.readTwoFactor()),
      await refusalOf(client.beginTwoFactor({ body: { password } })),
      await refusalOf(client.renewRecoveryCodes({ body: { password, code: '000000' } })),
      await refusalOf(client.disableTwoFactor({ body: { password, code: '000000' } })),
    ])
      expect(refused).toMatchObject({ status: 403, code: 'own-hand-required' });
  }
});

test('enabling ends all sessions with only a password, on every node, except the current one', async () => {
  const [current, otherSession] = [await signIn(), await signIn()];
  const node = await api.another();
  const login = await api.anyone.loginAdmin({ body: { username, password } });
  const otherNodeClient = node.clientWith(login.access_token);
  expect((await otherNodeClient.request('readCallingAdmin')).status).toBe(200);
  await enable(current);
  expect((await current.request('readCallingAdmin')).status).toBe(200);
  expect((await otherSession.request('readCallingAdmin')).status).toBe(401);
  expect((await otherNodeClient.request('readCallingAdmin')).status).toBe(401);
  const renewal = await api.anyone.request('refreshAdmin', { body: { refresh_token: login.refresh_token } });
  expect(renewal.status).toBe(401);
  await node.close();
});

test('a session that begins with only the password while the second factor is enabled is rejected or ends', async () => {
  const other = await api.another();
  const { data: enrollment } = await api.admin.beginTwoFactor({ body: { password } });
  const code = codeFor(enrollment.secret);
  const logins = Array.from({ length: 16 }, (_, index) =>
    (index % 2 === 0 ? api : other).anyone.request('loginAdmin', { body: { username, password } }),
  );
  await logins[0];
  await api.admin.confirmTwoFactor({ body: { code } });
  for (const { status, body } of await Promise.all(logins)) {
    if (status !== 200) {
      expect([status, body]).toMatchObject([422, { code: 'second-factor-required' }]);
      continue;
    }
    const client = other.clientWith((body as { access_token: string }).access_token);
    expect((await client.request('readCallingAdmin')).status).toBe(401);
  }
  await other.close();
});

test('renewing tokens needs no code', async () => {
  const { secret } = await enable();
  const pair = await api.anyone.loginAdmin({ body: { username, password, otp: codeFor(secret) } });
  const renewed = await api.anyone.refreshAdmin({ body: { refresh_token: pair.refresh_token } });
  expect((await api.clientWith(renewed.access_token).request('readCallingAdmin')).status).toBe(200);
});

test('disabling needs the password and a code, and removes all data', async () => {
  const { secret, recoveryCodes } = await enable();
  const validBody = () => ({ password, code: codeFor(secret) });
  const cases: [{ password: string; code: string }, string][] = [
    [{ ...validBody(), password: 'wrong password here' }, 'wrong-credentials'],
    [{ ...validBody(), code: '000000' }, 'second-factor-wrong'],
    [{ ...validBody(), code: 'AAAA-AAAA-AAAA-AAAA' }, 'second-factor-wrong'],
  ];
  for (const [body, code] of cases) expect((await refusalOf(api.admin.disableTwoFactor({ body }))).code).toBe(code);
  expect((await api.admin.disableTwoFactor({ body: validBody() })).data).toMatchObject({
    enabled: false,
    recovery_codes_left: 0,
  });
  await signIn();
  expect((await refusalOf(api.admin.disableTwoFactor({ body: validBody() }))).code).toBe('second-factor-not-enabled');
  const renewal = await refusalOf(api.admin.renewRecoveryCodes({ body: { password, code: recoveryCodes[0] ?? '' } }));
  expect([renewal.status, renewal.code]).toEqual([409, 'second-factor-not-enabled']);
  expect(await readAuditActions()).toEqual(
    expect.arrayContaining(['admin.two_factor_enabled', 'admin.two_factor_disabled']),
  );
});

test('setting up needs the password; an enabled second factor cannot be set up again', async () => {
  const refused = await refusalOf(api.admin.beginTwoFactor({ body: { password: 'wrong password here' } }));
  expect([refused.status, refused.code, Object.keys(refused.errors)]).toEqual([422, 'wrong-credentials', ['password']]);
  const early = await refusalOf(api.admin.confirmTwoFactor({ body: { code: '123456' } }));
  expect([early.status, early.code]).toEqual([409, 'second-factor-not-enabled']);
  const { secret } = await enable();
  for (const call of [
    () => api.admin.beginTwoFactor({ body: { password } }),
    () => api.admin.confirmTwoFactor({ body: { code: codeFor(secret) } }),
  ]) {
    const error = await refusalOf(call());
    expect([error.status, error.code]).toEqual([409, 'second-factor-enabled']);
  }
});

test('a restarted set-up invalidates the earlier secret', async () => {
  const { data: first } = await api.admin.beginTwoFactor({ body: { password } });
  const { data: second } = await api.admin.beginTwoFactor({ body: { password } });
  const refused = await refusalOf(api.admin.confirmTwoFactor({ body: { code: codeFor(first.secret) } }));
  expect(refused.code).toBe('second-factor-wrong');
  await api.admin.confirmTwoFactor({ body: { code: codeFor(second.secret) } });
});

test('the password grant also requires the code, and has the errors of RFC 6749', async () => {
  const newClient = await createFirstPartyClient(api.app.dependencies, 'test', 'admins');
  const client = { client_id: printIdentifier('client', newClient.id), client_secret: newClient.secret };
  const { secret } = await enable();
  const grant = async (otp?: string) => {
    const answer = await fetch(`${api.url}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ grant_type: 'password', username, password, ...client, ...(otp ? { otp } : {}) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  expect(await grant()).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant', code: 'second-factor-required' },
  });
  expect(await grant('000000')).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant', code: 'second-factor-wrong' },
  });
  expect((await grant(codeFor(secret))).status).toBe(200);
});

test("administrators can reset another administrator's second factor if they have as many permissions, but never their own", async () => {
  const manager = await addAdmin('manager', ['access-dashboard', 'read-admins', 'update-admins']);
  const clerk = await addAdmin('clerk', ['access-dashboard', 'read-admins']);
  const operator = await addAdmin('operator', ['access-dashboard', 'read-rooms']);
  await enable();
  const self = (await api.admin.readCallingAdmin()).data;
  const none = await refusalOf(manager.client.resetTwoFactor({ params: { admin_id: clerk.id } }));
  expect([none.status, none.code]).toEqual([409, 'second-factor-not-enabled']);
  for (const target of [self.id, operator.id]) {
    const refused = await refusalOf(manager.client.resetTwoFactor({ params: { admin_id: target } }));
    expect([refused.status, refused.code]).toEqual([403, 'privilege-escalation']);
  }
  expect((await refusalOf(clerk.client.resetTwoFactor({ params: { admin_id: self.id } }))).code).toBe('forbidden');
  const refusal = await refusalOf(api.admin.resetTwoFactor({ params: { admin_id: self.id } }));
  expect([refusal.status, refusal.code]).toEqual([409, 'own-account']);
  await enable(operator.client);
  expect((await operator.client.request('readCallingAdmin')).status).toBe(200);
  expect((await api.admin.request('resetTwoFactor', { params: { admin_id: operator.id } })).status).toBe(204);
  await api.anyone.loginAdmin({ body: { username: 'operator', password } });
  expect(await readAuditActions()).toContain('admin.two_factor_reset');
});

test('the command line removes a lost second factor by name', async () => {
  await enable();
  await resetTwoFactorByName(api.app.dependencies, firstAdmin.email);
  await signIn();
  await expect(resetTwoFactorByName(api.app.dependencies, 'root')).rejects.toMatchObject({
    code: 'second-factor-not-enabled',
  });
  await expect(resetTwoFactorByName(api.app.dependencies, 'nobody')).rejects.toMatchObject({ code: 'not-found' });
});

test('where the platform requires a second factor, an administrator without one may only set it up, on every node', async () => {
  const clerk = await addAdmin('clerk', ['access-dashboard', 'read-rooms']);
  const node = await api.another();
  const otherNodeClient = node.clientWith(clerk.token);
  expect((await otherNodeClient.request('listRooms')).status).toBe(200);
  await enable();
  await api.admin.updateSettings({ body: { require_two_factor: true } });
  await expect.poll(async () => (await otherNodeClient.request('listRooms')).status).toBe(403);
  const refused = await refusalOf(clerk.client.listRooms());
  expect([refused.status, refused.code]).toEqual([403, 'second-factor-enrollment-required']);
  expect((await clerk.client.request('readCallingAdmin')).status).toBe(200);
  expect((await clerk.client.request('readTwoFactor')).status).toBe(200);
  const { access_token: token } = await api.anyone.loginAdmin({ body: { username: 'clerk', password } });
  const newSessionClient = api.clientWith(token);
  expect((await newSessionClient.request('listRooms')).status).toBe(403);
  await enable(newSessionClient);
  expect((await newSessionClient.request('listRooms')).status).toBe(200);
  expect((await clerk.client.request('listRooms')).status).toBe(401);
  expect((await newSessionClient.request('logout')).status).toBe(202);
  expect((await api.admin.request('listRooms')).status).toBe(200);
  await api.admin.updateSettings({ body: { require_two_factor: false } });
  await node.close();
});

test('the database, the audit log and the log never contain secrets or recovery codes in plain text', async () => {
  const { secret, recoveryCodes } = await enable();
  await signIn(recoveryCodes[0]);
  const { rows } = await api.app.connection.pool.query<{ all: string }>(`
    select coalesce((select string_agg(t::text, '') from admin_two_factor t), '')
      || coalesce((select string_agg(c::text, '') from admin_recovery_codes c), '')
      || coalesce((select string_agg(e::text, '') from events e), '')
      || coalesce((select string_agg(a::text, '') from audit_entries a), '') as all`);
  const storedText = (rows[0]?.all ?? '') + api.log();
  expect(storedText).toContain('admin.two_factor_enabled');
  for (const secretText of [secret, ...recoveryCodes]) expect(storedText.includes(secretText)).toBe(false);
});
