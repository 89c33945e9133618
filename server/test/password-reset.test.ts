import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeAdmin } from './administrators.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, refusalOf, unique } from './factories.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { resetAdminPassword } from '../src/modules/auth/index.ts';
import { runJob } from '../src/modules.ts';

let server: MailServer;
let api: TestApi;
/** A process of the same platform without a mail server. */
let apiWithoutMail: TestApi;

beforeAll(async () => {
  server = await startMailServer();
  [api, apiWithoutMail] = await Promise.all([startApi({ mail: { smtpUrl: server.url, from: null } }), startApi()]);
});
afterAll(async () => {
  await Promise.all([api.close(), apiWithoutMail.close()]);
  await server.close();
});
beforeEach(async () => {
  await runMailJobs();
  server.mails.length = 0;
  api.clock.advance({ hours: 2 });
});

const oldPassword = 'difference engine no. 2';
const newPassword = 'analytical engine no. 1';

/** Creates a customer, and returns its owner, who can sign in. */
async function makeUser(node: TestApi = api) {
  const email = `${unique('user')}@example.com`;
  await makeCustomer(node, { email, password: oldPassword });
  const { data } = await node.admin.listUsers({ query: { search: `email:${email}` } });
  const [user] = data;
  if (!user) throw new Error('There is no user.');
  return user;
}

async function runMailJobs(): Promise<void> {
  await runJob(api.app.dependencies, 'answer-password-requests');
  await runJob(api.app.dependencies, 'send-mails');
}

function tokenOf(link: string | null | undefined): string {
  return new URL(link ?? '').pathname.split('/').at(-1) ?? '';
}

async function requestResetToken(email: string): Promise<string> {
  await api.anyone.forgotUserPassword({ body: { email } });
  await runMailJobs();
  return tokenOf(server.mails.findLast(({ to }) => to === email.toLowerCase())?.link);
}

const login = (username: string, password: string, node = api) =>
  node.anyone.loginUser({ body: { username, password } });

test('a user resets a forgotten password by mail, which ends all sessions and verifies the email', async () => {
  const user = await makeUser();
  const { access_token: session } = await login(user.email, oldPassword);
  const token = await requestResetToken(user.email.toUpperCase());
  expect(server.mails).toHaveLength(1);
  expect(server.mails[0]).toMatchObject({ to: user.email, subject: 'Choose a new password for Foyer' });
  const answer = await api.anyone.resetUserPassword({ body: { token, password: newPassword } });
  expect(answer.message).toContain('changed');
  expect((await refusalOf(api.clientWith(session).readCallingUser())).status).toBe(401);
  expect((await refusalOf(login(user.email, oldPassword))).status).toBe(422);
  const { access_token: newSession } = await login(user.email, newPassword);
  const { data } = await api.clientWith(newSession).readCallingUser();
  expect(data.has_email_verified).toBe(true);
});

test('an administrator resets a forgotten password by mail', async () => {
  const { data: me } = await api.admin.readCallingAdmin();
  const { access_token: session } = await api.anyone.loginAdmin({
    body: { username: 'root', password: 'a long enough password' },
  });
  await api.anyone.forgotAdminPassword({ body: { email: me.email } });
  await runMailJobs();
  const token = tokenOf(server.mails[0]?.link);
  expect((await refusalOf(api.anyone.resetUserPassword({ body: { token, password: newPassword } }))).code).toBe(
    'link-not-valid',
  );
  await api.anyone.resetAdminPassword({ body: { token, password: newPassword } });
  expect((await refusalOf(api.clientWith(session).readCallingAdmin())).status).toBe(401);
  const { access_token: newSession } = await api.anyone.loginAdmin({
    body: { username: 'root', password: newPassword },
  });
  const { data } = await api.clientWith(newSession).readCallingAdmin();
  expect(data.has_email_verified).toBe(true);
  // Restores the password for the other tests.
  const second = await api.clientWith(newSession).createAdminPasswordReset({ params: { admin_id: me.id } });
  expect(second.data).toMatchObject({ mailed: true, url: null, email: me.email });
  await runMailJobs();
  await api.anyone.resetAdminPassword({
    body: { token: tokenOf(server.mails.at(-1)?.link), password: 'a long enough password' },
  });
  api.clock.advance({ hours: 2 });
});

test('unknown and inactive users get the same response and the same rows as other users, but no mail', async () => {
  const user = await makeUser();
  const { data: inactive } = await api.admin.updateUser({
    params: { user_id: (await makeUser()).id },
    body: { status: 'inactive' },
  });
  const answers = [];
  for (const email of [user.email, inactive.email, `${unique('nobody')}@example.com`])
    answers.push(await api.anyone.request('forgotUserPassword', { body: { email } }));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  const { rows } = await api.app.connection.pool.query(
    'select count(*)::int as asked, (select count(*)::int from password_resets where ended_at is null and used_at is null and user_id = $1) as made from password_reset_requests where answered_at is null',
    [user.uuid],
  );
  expect(rows).toEqual([{ asked: 3, made: 0 }]);
  await runMailJobs();
  expect(server.mails.map(({ to }) => to)).toEqual([user.email]);
});

test('requests are limited per hour by email and by address, for known and unknown emails alike', async () => {
  for (const email of [(await makeUser()).email, `${unique('nobody')}@example.com`]) {
    api.clock.advance({ hours: 2 });
    for (let index = 0; index < 3; index++) await api.anyone.forgotUserPassword({ body: { email } });
    const refusal = await api.anyone.request('forgotUserPassword', { body: { email: email.toUpperCase() } });
    expect(refusal.status).toBe(429);
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(3000);
  }
  api.clock.advance({ hours: 2 });
  const attempts = await Promise.all(
    Array.from({ length: 14 }, () =>
      api.anyone.request('forgotUserPassword', { body: { email: `${unique('spread')}@example.com` } }),
    ),
  );
  expect(attempts.filter(({ status }) => status === 202)).toHaveLength(10);
});

test('a link works once, also for concurrent requests', async () => {
  const user = await makeUser();
  const token = await requestResetToken(user.email);
  const attempts = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      api.anyone.request('resetUserPassword', { body: { token, password: `${newPassword} ${index}` } }),
    ),
  );
  expect(attempts.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(attempts.filter(({ status }) => status === 422)).toHaveLength(5);
  const winner = attempts.findIndex(({ status }) => status === 200);
  await login(user.email, `${newPassword} ${winner}`);
});

test('a link is not valid after an hour, after a newer link or after a change of the password, and an unknown link is never valid', async () => {
  const user = await makeUser();
  const expectInvalidLink = async (token: string) => {
    const refusal = await refusalOf(api.anyone.resetUserPassword({ body: { token, password: newPassword } }));
    expect([refusal.status, refusal.code]).toEqual([422, 'link-not-valid']);
  };
  const expired = await requestResetToken(user.email);
  api.clock.advance({ minutes: 61 });
  await expectInvalidLink(expired);
  const older = await requestResetToken(user.email);
  const newer = await requestResetToken(user.email);
  expect(newer).not.toBe(older);
  await expectInvalidLink(older);
  const { access_token: session } = await login(user.email, oldPassword);
  await api.clientWith(session).changeOwnPassword({ body: { current_password: oldPassword, password: newPassword } });
  await expectInvalidLink(newer);
  await expectInvalidLink('fpr_nothing');
  await expectInvalidLink(`fpr_${'a'.repeat(43)}`);
});

test('the command that sets a new password of an administrator invalidates open links', async () => {
  const admin = await makeAdmin(api);
  await api.admin.createAdminPasswordReset({ params: { admin_id: admin.id } });
  await runMailJobs();
  const token = tokenOf(server.mails.findLast(({ to }) => to === admin.email)?.link);
  const password = await resetAdminPassword(api.app.dependencies, admin.username, null);
  const refusal = await refusalOf(api.anyone.resetAdminPassword({ body: { token, password: newPassword } }));
  expect([refusal.status, refusal.code]).toEqual([422, 'link-not-valid']);
  await api.anyone.loginAdmin({ body: { username: admin.username, password } });
});

test('a newer link replaces a link that has not been mailed yet', async () => {
  const user = await makeUser();
  await api.anyone.forgotUserPassword({ body: { email: user.email } });
  await runJob(api.app.dependencies, 'answer-password-requests');
  await api.anyone.forgotUserPassword({ body: { email: user.email } });
  await runMailJobs();
  expect(server.mails).toHaveLength(1);
  await api.anyone.resetUserPassword({ body: { token: tokenOf(server.mails[0]?.link), password: newPassword } });
});

test('a new password must follow the password rules, and the link stays valid for another attempt', async () => {
  const user = await makeUser();
  const token = await requestResetToken(user.email);
  for (const password of ['short', 'x'.repeat(129), 'qwerty123456']) {
    const refusal = await refusalOf(api.anyone.resetUserPassword({ body: { token, password } }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['password']]);
  }
  const bothErrors = await refusalOf(api.anyone.resetUserPassword({ body: { token: 'nothing', password: 'short' } }));
  expect(Object.keys(bothErrors.errors).sort()).toEqual(['password', 'token']);
  await api.anyone.resetUserPassword({ body: { token, password: newPassword } });
});

test('mails are in the language of the recipient', async () => {
  const user = await makeUser();
  for (const [locale, subject] of [
    ['pt-BR', 'Escolha uma nova senha para Foyer'],
    ['de', 'Neues Passwort für Foyer'],
    ['es-MX', 'Elija una contraseña nueva para Foyer'],
    ['fr', 'Choisissez un nouveau mot de passe pour Foyer'],
    ['ja', 'Choose a new password for Foyer'],
  ] as const) {
    await api.admin.updateUser({ params: { user_id: user.id }, body: { locale } });
    await api.admin.createUserPasswordReset({ params: { user_id: user.id } });
    await runMailJobs();
    expect(server.mails.at(-1)?.subject).toBe(subject);
  }
});

test('without a mail server the page does not promise a mail, and administrators see the links that they create', async () => {
  const user = await makeUser(apiWithoutMail);
  const answer = await apiWithoutMail.anyone.forgotUserPassword({ body: { email: user.email } });
  expect(answer.message).toContain('Ask an administrator');
  const { data } = await apiWithoutMail.admin.createUserPasswordReset({ params: { user_id: user.id } });
  expect(data).toMatchObject({ object: 'PasswordReset', email: user.email, mailed: false });
  expect(data.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/password-reset\/fpr_/);
  await apiWithoutMail.anyone.resetUserPassword({ body: { token: tokenOf(data.url), password: newPassword } });
  const { access_token: session } = await login(user.email, newPassword, apiWithoutMail);
  const { data: me } = await apiWithoutMail.clientWith(session).readCallingUser();
  // A link that was not mailed does not prove access to the mailbox.
  expect(me.has_email_verified).toBe(false);
  expect(
    (await refusalOf(apiWithoutMail.admin.createUserPasswordReset({ params: { user_id: 'user_none' } }))).status,
  ).toBe(404);
});

test('neither tokens nor passwords are in the log, the events or the audit log', async () => {
  const user = await makeUser();
  const token = await requestResetToken(user.email);
  await fetch(`${api.url}/password-reset/${token}`);
  await api.anyone.resetUserPassword({ body: { token, password: 'a secret nobody reads 9' } });
  const { rows } = await api.app.connection.pool.query<{ events: string; entries: string }>(
    'select (select string_agg(events::text, chr(10)) from events) as events, (select string_agg(audit_entries::text, chr(10)) from audit_entries) as entries',
  );
  const records = `${api.log()}\n${rows[0]?.events}\n${rows[0]?.entries}`;
  expect(records).toContain('user.password_reset');
  expect(records).not.toContain(token);
  expect(records).not.toContain('a secret nobody reads');
  expect(records).not.toContain('argon2id');
});

test('expired links and requests are removed', async () => {
  api.clock.advance({ days: 9 });
  await runJob(api.app.dependencies, 'prune-password-resets');
  const { rows } = await api.app.connection.pool.query(
    'select (select count(*)::int from password_resets) as resets, (select count(*)::int from password_reset_requests) as requests',
  );
  expect(rows).toEqual([{ resets: 0, requests: 0 }]);
});

const fetchPage = async (token: string, init: RequestInit = {}) =>
  await fetch(`${api.url}/password-reset/${token}`, init);
const submit = (token: string, form: Record<string, string>) =>
  fetchPage(token, { method: 'POST', body: new URLSearchParams(form) });

test('the page needs no script, is not cached, and sends no referrer', async () => {
  const user = await makeUser();
  const token = await requestResetToken(user.email);
  const answer = await fetchPage(token);
  const html = await answer.text();
  expect(answer.status).toBe(200);
  expect(html).toContain(user.email);
  expect(html).not.toContain('<script');
  const { headers } = answer;
  expect(headers.get('cache-control')).toContain('no-store');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('x-robots-tag')).toContain('noindex');
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
  expect(headers.get('content-security-policy')).not.toContain('script-src');
  expect((await fetchPage(token, { method: 'HEAD' })).status).toBe(200);
  const wrong = await submit(token, { password: 'short' });
  expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining('too short')]);
  const common = await submit(token, { password: 'qwerty123456' });
  expect(await common.text()).toContain('easy to guess');
  const done = await submit(token, { password: newPassword });
  expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('Your password has been changed')]);
  await login(user.email, newPassword);
  const second = await fetchPage(token);
  expect([second.status, await second.text()]).toEqual([404, expect.stringContaining('no longer valid')]);
  expect((await fetchPage('%00')).status).toBe(404);
});

test('the page is in the language of the browser', async () => {
  const user = await makeUser();
  const token = await requestResetToken(user.email);
  for (const [accepted, words, language] of [
    ['pt-PT', 'Escolha uma nova palavra-passe', 'pt'],
    ['pt-BR', 'Escolha uma nova senha', 'pt-BR'],
    ['de-AT', 'Neues Passwort wählen', 'de'],
    ['ja, es;q=0.5', 'Elija una contraseña nueva', 'es'],
    ['fr-CA', 'Choisissez un nouveau mot de passe', 'fr'],
  ] as const) {
    const html = await (await fetchPage(token, { headers: { 'accept-language': accepted } })).text();
    expect(html).toContain(`<html lang="${language}"`);
    expect(html).toContain(words);
  }
});
