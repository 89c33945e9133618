import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { fullRoleId, makeAdmin, signIn } from './administrators.ts';
import { startApi, type TestApi } from './api.ts';
import { makeAccount, makeCustomer, makeRoom, refusalOf, unique } from './factories.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { runJob } from '../src/modules.ts';

let server: MailServer;
let api: TestApi;
/** A platform without a mail server. */
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
  await runJob(api.app.dependencies, 'send-mails');
  server.mails.length = 0;
});

const password = 'analytical engine no. 1';
const ownerPassword = 'difference engine no. 2';

function tokenOf(link: string | null | undefined): string {
  return new URL(link ?? '').pathname.split('/').at(-1) ?? '';
}

/** Sends the pending mails. @returns the token of the last mail, or of the last one to the email */
async function readMailedToken(email?: string): Promise<string> {
  await runJob(api.app.dependencies, 'send-mails');
  return tokenOf(server.mails.findLast(({ to }) => email === undefined || to === email)?.link);
}

async function invite(customerId: string, body: Record<string, unknown> = {}, platform = api) {
  const email = `${unique('guest')}@example.com`;
  const { data } = await platform.admin.createInvitation({
    params: { customer_id: customerId },
    body: { email, ...body },
  });
  return data;
}

const names = { first_name: 'Grace', last_name: 'Hopper' };
const accept = (token: string, body: Record<string, unknown> = {}, platform = api) =>
  platform.anyone.acceptInvitation({ body: { token, password, ...names, ...body } });

/** Signs in as the owner of the customer. */
async function signInOwner(customer: { email: string }, platform = api) {
  const { access_token: token } = await platform.anyone.loginUser({
    body: { username: customer.email, password: ownerPassword },
  });
  return platform.clientWith(token);
}

test('a new person is invited by mail, chooses a password, and becomes a user of the customer with a verified email', async () => {
  const customer = await makeCustomer(api, { locale: 'pt-BR', timezone: 'America/Sao_Paulo' });
  const invitation = await invite(customer.id, { permissions: ['read-customer', 'create-account'] });
  expect(invitation).toMatchObject({
    object: 'Invitation',
    status: 'pending',
    customer_id: customer.id,
    account_id: null,
    room_id: null,
    owner: false,
    permissions: ['read-customer', 'create-account'],
    expires_at: expect.stringMatching(/^2026-03-17T12:00/),
    accepted_at: null,
    invited_by: 'root',
    url: null,
  });
  const token = await readMailedToken();
  // An invitation from an administrator is sent in the name of the customer.
  expect(server.mails[0]).toMatchObject({ to: invitation.email, subject: 'Ada Lovelace convida você para Foyer' });
  const { data: user } = await accept(token);
  expect(user).toMatchObject({
    object: 'User',
    email: invitation.email,
    full_name: 'Grace Hopper',
    locale: 'pt-BR',
    timezone: 'America/Sao_Paulo',
    has_email_verified: true,
  });
  const { data: member } = await api.admin.readCustomerUser({ params: { customer_id: customer.id, user_id: user.id } });
  expect(member).toMatchObject({ owner: false, permissions: ['read-customer', 'create-account'] });
  await api.anyone.loginUser({ body: { username: user.email, password } });
  const { data: read } = await api.admin.readInvitation({
    params: { customer_id: customer.id, invitation_id: invitation.id },
  });
  expect(read).toMatchObject({ status: 'accepted', accepted_at: expect.any(String) });
  const second = await refusalOf(accept(token));
  expect([second.status, second.code]).toEqual([422, 'link-not-valid']);
});

test('an existing user accepts with their own password, and keeps it', async () => {
  const [one, other] = [await makeCustomer(api), await makeCustomer(api)];
  const { data: invitation } = await api.admin.createInvitation({
    params: { customer_id: one.id },
    body: { email: other.email.toUpperCase() },
  });
  const token = await readMailedToken();
  const wrong = await refusalOf(accept(token));
  expect([wrong.status, wrong.code, Object.keys(wrong.errors)]).toEqual([422, 'wrong-credentials', ['password']]);
  const { data: user } = await accept(token, { password: ownerPassword });
  expect(user).toMatchObject({ email: other.email, first_name: 'Ada' });
  await signInOwner(other);
  const member = await refusalOf(
    api.admin.createInvitation({ params: { customer_id: one.id }, body: { email: invitation.email } }),
  );
  expect([member.status, member.code]).toEqual([409, 'already-exists']);
});

test('a user without a password chooses one with a mailed link, or with a link from an administrator', async () => {
  for (const platform of [api, apiWithoutMail]) {
    const customer = await makeCustomer(platform);
    const email = `${unique('unset')}@example.com`;
    await platform.admin.createUser({ body: { email, first_name: 'No', last_name: 'Password' } });
    const invitation = await invite(customer.id, { email }, platform);
    await accept(platform === api ? await readMailedToken() : tokenOf(invitation.url), {}, platform);
    await platform.anyone.loginUser({ body: { username: email, password } });
  }
});

test('an invitation link that was not mailed can set a password only for users that this customer created', async () => {
  const customer = await makeCustomer(apiWithoutMail);
  const owner = await signInOwner(customer, apiWithoutMail);
  const person = { first_name: 'No', last_name: 'Password' };
  const [emailOfRoomUser, emailOfUserByAdmin] = [`${unique('room-user')}@example.com`, `${unique('user')}@example.com`];
  await apiWithoutMail.admin.createUser({ body: { email: emailOfUserByAdmin, ...person } });
  const room = await makeRoom(apiWithoutMail);
  const roomOwner = await signInOwner(room.customer, apiWithoutMail);
  await roomOwner.createRoomUser({ params: { room_id: room.room.id }, body: { email: emailOfRoomUser, ...person } });
  const createInvitationToken = async (client: typeof owner, customerId: string, email: string) => {
    const { data } = await client.createInvitation({
      params: { customer_id: customerId },
      body: { email, permissions: ['read-customer'] },
    });
    return tokenOf(data.url);
  };
  for (const token of [
    await createInvitationToken(owner, customer.id, emailOfUserByAdmin),
    await createInvitationToken(owner, customer.id, emailOfRoomUser),
  ])
    expect((await refusalOf(accept(token, {}, apiWithoutMail))).code).toBe('wrong-credentials');
  await accept(await createInvitationToken(roomOwner, room.customer.id, emailOfRoomUser), {}, apiWithoutMail);
  await apiWithoutMail.anyone.loginUser({ body: { username: emailOfRoomUser, password } });
});

test('invitations lead to an account or to a room, with the rights of that level only', async () => {
  const { customer, account, room } = await makeRoom(api);
  const params = { customer_id: customer.id };
  await invite(customer.id, { account_id: account.id, permissions: ['read-account', 'read-room'] });
  const { data: accountUser } = await accept(await readMailedToken());
  const { data: member } = await api.admin.readAccountUser({
    params: { account_id: account.id, user_id: accountUser.id },
  });
  expect(member.permissions).toEqual(['read-account', 'read-room']);
  const roomInvitation = await invite(customer.id, { room_id: room.id, permissions: ['moderate', 'read-room'] });
  expect(roomInvitation).toMatchObject({ room_id: room.id, account_id: account.id });
  const { data: roomUser } = await accept(await readMailedToken());
  const { data: moderator } = await api.admin.readRoomUser({ params: { room_id: room.id, user_id: roomUser.id } });
  expect(moderator.permissions).toEqual(['read-room', 'moderate']);
  const other = await makeRoom(api);
  for (const [body, field] of [
    [{ room_id: room.id, permissions: ['read-room', 'create-account'] }, 'permissions.1'],
    [{ account_id: account.id, permissions: ['read-customer'] }, 'permissions.0'],
    [{ account_id: other.account.id }, 'account_id'],
    [{ room_id: other.room.id }, 'room_id'],
    [{ room_id: room.id, account_id: other.account.id }, 'account_id'],
    [{ email: 'nobody' }, 'email'],
  ] as const) {
    const refusal = await refusalOf(
      api.admin.createInvitation({ params, body: { email: `${unique('x')}@example.com`, ...body } as never }),
    );
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, [field]]);
  }
});

test('an accepted invitation as owner transfers ownership, and the former owner stays a member', async () => {
  const customer = await makeCustomer(api);
  await invite(customer.id, { owner: true });
  const { data: user } = await accept(await readMailedToken());
  const { data } = await api.admin.listCustomerUsers({ params: { customer_id: customer.id } });
  expect(data.filter(({ owner }) => owner).map(({ user_id: id }) => id)).toEqual([user.id]);
  expect(data).toHaveLength(2);
});

test("an email outside the customer's domains cannot be invited, and an invitation cannot be accepted after the domains exclude its email", async () => {
  const customer = await makeCustomer(api, {
    email: `${unique('ada')}@example.org`,
    allowed_domains_registration: ['example.org'],
  });
  const refusal = await refusalOf(invite(customer.id));
  expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['email']]);
  await invite(customer.id, { email: `${unique('in')}@EXAMPLE.org` });
  const token = await readMailedToken();
  await api.admin.updateCustomer({
    params: { customer_id: customer.id },
    body: { allowed_domains_registration: ['example.net'] },
  });
  expect((await refusalOf(accept(token))).status).toBe(422);
});

test('there is one open invitation per email and resource, and a new one is possible after it has expired', async () => {
  const { customer, account } = await makeAccount(api);
  const email = `${unique('twice')}@example.com`;
  const first = await invite(customer.id, { email });
  const twice = await refusalOf(invite(customer.id, { email: email.toUpperCase() }));
  expect([twice.status, twice.code]).toEqual([409, 'already-exists']);
  await invite(customer.id, { email, account_id: account.id });
  const concurrent = await Promise.all(
    Array.from({ length: 4 }, () =>
      api.admin.request('createInvitation', {
        params: { customer_id: customer.id },
        body: { email: 'race@example.com' },
      }),
    ),
  );
  expect(concurrent.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409]);
  const token = await readMailedToken();
  api.clock.advance({ days: 8 });
  expect((await refusalOf(accept(token))).code).toBe('link-not-valid');
  const params = { customer_id: customer.id, invitation_id: first.id };
  expect((await api.admin.readInvitation({ params })).data.status).toBe('expired');
  await invite(customer.id, { email });
  expect((await api.admin.readInvitation({ params })).data.status).toBe('expired');
});

test('resending creates a new link and ends the old one, before and after the old one was mailed', async () => {
  const customer = await makeCustomer(api);
  const invitation = await invite(customer.id);
  const params = { customer_id: customer.id, invitation_id: invitation.id };
  await api.admin.resendInvitation({ params });
  const oldToken = await readMailedToken();
  expect(server.mails).toHaveLength(1);
  await api.admin.resendInvitation({ params });
  const token = await readMailedToken();
  expect((await refusalOf(accept(oldToken))).code).toBe('link-not-valid');
  await api.admin.deleteInvitation({ params });
  expect((await refusalOf(accept(token))).code).toBe('link-not-valid');
  expect((await api.admin.readInvitation({ params })).data.status).toBe('withdrawn');
  const { data: revived } = await api.admin.resendInvitation({ params });
  expect(revived.status).toBe('pending');
  await accept(await readMailedToken());
  for (const call of [() => api.admin.resendInvitation({ params }), () => api.admin.deleteInvitation({ params })]) {
    const refusal = await refusalOf(call());
    expect([refusal.status, refusal.code]).toEqual([409, 'invitation-accepted']);
  }
});

test('an invitation that is withdrawn before its mail is sent is not mailed', async () => {
  const customer = await makeCustomer(api);
  const invitation = await invite(customer.id);
  await api.admin.deleteInvitation({ params: { customer_id: customer.id, invitation_id: invitation.id } });
  await runJob(api.app.dependencies, 'send-mails');
  expect(server.mails).toEqual([]);
});

test('concurrent acceptances of an invitation create one user', async () => {
  const customer = await makeCustomer(api);
  const invitation = await invite(customer.id);
  const token = await readMailedToken();
  const attempts = await Promise.all(
    Array.from({ length: 6 }, () => api.anyone.request('acceptInvitation', { body: { token, password, ...names } })),
  );
  expect(attempts.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(attempts.every(({ status }) => [200, 422].includes(status))).toBe(true);
  const { data } = await api.admin.listUsers({ query: { search: `email:${invitation.email}` } });
  expect(data).toHaveLength(1);
});

test('invitations and new members of a customer that is not active are rejected', async () => {
  for (const status of ['inactive', 'terminated'] as const) {
    const customer = await makeCustomer(api);
    await invite(customer.id);
    const token = await readMailedToken();
    await api.admin.updateCustomer({ params: { customer_id: customer.id }, body: { status } });
    for (const refusal of [await refusalOf(accept(token)), await refusalOf(invite(customer.id))])
      expect([refusal.status, refusal.code]).toEqual([409, 'customer-not-active']);
  }
});

test('a new person must give names and an acceptable password; all errors are reported together and nothing is created', async () => {
  const customer = await makeCustomer(api);
  const invitation = await invite(customer.id);
  const token = await readMailedToken();
  const refusal = await refusalOf(api.anyone.acceptInvitation({ body: { token, password: 'short' } }));
  expect(Object.keys(refusal.errors).sort()).toEqual(['first_name', 'last_name', 'password']);
  const { data } = await api.admin.listUsers({ query: { search: `email:${invitation.email}` } });
  expect(data).toEqual([]);
  const invitationWithName = await invite(customer.id, { first_name: 'Joan', last_name: 'Clarke' });
  const { data: user } = await api.anyone.acceptInvitation({ body: { token: await readMailedToken(), password } });
  expect(user).toMatchObject({ email: invitationWithName.email, full_name: 'Joan Clarke' });
});

test('users who manage the users of a customer can grant only their own rights in invitations', async () => {
  const customer = await makeCustomer(api);
  const owner = await signInOwner(customer);
  const params = { customer_id: customer.id };
  const { data: invitation } = await owner.createInvitation({
    params,
    body: { email: `${unique('mgr')}@example.com`, permissions: ['read-customer', 'manage-customer-users'] },
  });
  expect(invitation.invited_by).toBe(customer.email);
  const { data: manager } = await accept(await readMailedToken());
  const { access_token: session } = await api.anyone.loginUser({ body: { username: manager.email, password } });
  const client = api.clientWith(session);
  const email = () => `${unique('low')}@example.com`;
  for (const body of [{ permissions: ['create-account' as const] }, { owner: true }]) {
    const refusal = await refusalOf(client.createInvitation({ params, body: { email: email(), ...body } }));
    expect([refusal.status, refusal.code]).toEqual([403, 'privilege-escalation']);
  }
  // Users cannot resend an invitation with rights that they do not hold.
  const strong = await invite(customer.id, { owner: true });
  const second = client.resendInvitation({ params: { ...params, invitation_id: strong.id } });
  expect((await refusalOf(second)).code).toBe('privilege-escalation');
  const weak = await client.createInvitation({ params, body: { email: email(), permissions: ['read-customer'] } });
  const token = await readMailedToken(weak.data.email);
  expect((await client.listInvitations({ params })).data.length).toBeGreaterThan(0);
  // Rights that the inviter has lost are not granted.
  await api.admin.updateCustomerUser({
    params: { ...params, user_id: manager.id },
    body: { permissions: ['read-customer'] },
  });
  expect((await refusalOf(accept(token))).code).toBe('link-not-valid');
  expect((await refusalOf(client.listInvitations({ params }))).status).toBe(403);
  const unrelatedOwner = await signInOwner(await makeCustomer(api));
  expect((await refusalOf(unrelatedOwner.createInvitation({ params, body: { email: email() } }))).status).toBeOneOf([
    403, 404,
  ]);
});

test('the invitations of an inactive user or administrator cannot be accepted until another person sends them again', async () => {
  const customer = await makeCustomer(api);
  const params = { customer_id: customer.id };
  const owner = await signInOwner(customer);
  const admin = await makeAdmin(api, { roles_ids: [await fullRoleId(api)] });
  const { data: users } = await api.admin.listCustomerUsers({ params });
  for (const { inviter, deactivate } of [
    {
      inviter: owner,
      deactivate: () =>
        api.admin.updateUser({ params: { user_id: users[0]?.user_id ?? '' }, body: { status: 'inactive' } }),
    },
    {
      inviter: await signIn(api, admin.username),
      deactivate: () => api.admin.updateAdmin({ params: { admin_id: admin.id }, body: { status: 'inactive' } }),
    },
  ]) {
    const { data: invitation } = await inviter.createInvitation({
      params,
      body: { email: `${unique('late')}@example.com`, permissions: ['read-customer'] },
    });
    const token = await readMailedToken(invitation.email);
    await deactivate();
    expect((await refusalOf(accept(token))).code).toBe('link-not-valid');
    await api.admin.resendInvitation({ params: { ...params, invitation_id: invitation.id } });
    await accept(await readMailedToken(invitation.email));
  }
});

test('without a mail server the link is shown once, and accepting it does not verify the email', async () => {
  const customer = await makeCustomer(apiWithoutMail);
  const invitation = await invite(customer.id, {}, apiWithoutMail);
  expect(invitation.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/invitations\/finv_/);
  const params = { customer_id: customer.id, invitation_id: invitation.id };
  expect((await apiWithoutMail.admin.readInvitation({ params })).data.url).toBeNull();
  const { data: second } = await apiWithoutMail.admin.resendInvitation({ params });
  const { data: user } = await accept(tokenOf(second.url), {}, apiWithoutMail);
  expect(user.has_email_verified).toBe(false);
  expect(apiWithoutMail.log()).not.toContain(tokenOf(second.url));
});

test('invitations are listed, sorted and searched, with the customer, account or room that they lead to', async () => {
  const { customer, room } = await makeRoom(api);
  await invite(customer.id, { email: 'zoe@example.com' });
  await invite(customer.id, { email: 'abe@example.com', room_id: room.id });
  const params = { customer_id: customer.id };
  const sorted = await api.admin.listInvitations({
    params,
    query: { orderBy: 'email', sortedBy: 'asc', include: 'room,customer' },
  });
  expect(sorted.data.map(({ email }) => email)).toEqual(['abe@example.com', 'zoe@example.com']);
  expect(sorted.data[0]).toMatchObject({ room: { data: { id: room.id } }, customer: { data: { id: customer.id } } });
  const withdrawn = await api.admin.listInvitations({ params, query: { search: 'status:withdrawn' } });
  expect(withdrawn.data).toEqual([]);
  const otherCustomer = await makeCustomer(api);
  expect((await api.admin.listInvitations({ params: { customer_id: otherCustomer.id } })).data).toEqual([]);
  const otherParams = { customer_id: otherCustomer.id, invitation_id: sorted.data[0]?.id ?? '' };
  expect((await refusalOf(api.admin.readInvitation({ params: otherParams }))).status).toBe(404);
  expect((await refusalOf(api.admin.deleteInvitation({ params: otherParams }))).status).toBe(404);
});

test('tokens appear neither in the log nor in events or the audit log', async () => {
  const customer = await makeCustomer(api);
  await invite(customer.id);
  const token = await readMailedToken();
  await fetch(`${api.url}/invitations/${token}`);
  await accept(token);
  const { rows } = await api.app.connection.pool.query<{ records: string }>(
    "select (select string_agg(events::text, '') from events) || (select string_agg(audit_entries::text, '') from audit_entries) as records",
  );
  const records = `${api.log()}\n${rows[0]?.records}`;
  for (const name of ['invitation.created', 'invitation.accepted', 'invitation.withdrawn', 'customer_user.created'])
    expect(records).toContain(name);
  expect(records).not.toContain(token);
});

const openPage = async (token: string, init: RequestInit = {}) => await fetch(`${api.url}/invitations/${token}`, init);
const submit = (token: string, form: Record<string, string>) =>
  openPage(token, { method: 'POST', body: new URLSearchParams(form) });

test('the page names the customer as the inviter, changes nothing on GET, and its form works without JavaScript', async () => {
  const { customer, account } = await makeAccount(api);
  const invitation = await invite(customer.id, { account_id: account.id });
  const token = await readMailedToken();
  const answer = await openPage(token);
  const html = await answer.text();
  expect(answer.status).toBe(200);
  for (const words of ['Ada Lovelace invites you to', account.account_name, invitation.email, 'First name'])
    expect(html).toContain(words);
  expect(html).not.toContain('<script');
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  expect(answer.headers.get('cache-control')).toContain('no-store');
  const missing = await submit(token, { first_name: ' ', last_name: 'O"Neil <b>', password: '' });
  const second = await missing.text();
  expect(missing.status).toBe(422);
  expect(second).toContain('Enter your name');
  expect(second).toContain('Enter a password');
  expect(second).not.toContain('<b>');
  const accepted = await submit(token, { first_name: 'Grace', last_name: 'Hopper', password });
  expect([accepted.status, await accepted.text()]).toEqual([200, expect.stringContaining('Welcome, Grace')]);
  await api.anyone.loginUser({ body: { username: invitation.email, password } });
  const usedLink = await openPage(token);
  expect([usedLink.status, await usedLink.text()]).toEqual([404, expect.stringContaining('no longer valid')]);
});

test('the page asks an existing user only for the password, and explains that an inactive customer accepts no new members', async () => {
  const [one, other] = [await makeCustomer(api), await makeCustomer(api)];
  await api.admin.createInvitation({ params: { customer_id: one.id }, body: { email: other.email } });
  const token = await readMailedToken();
  const html = await (await openPage(token, { headers: { 'accept-language': 'de' } })).text();
  // The customer is both the inviter and the subject of the invitation, so its name appears only once.
  expect(html).toContain('Einladung zu');
  expect(html).not.toContain('lädt Sie ein');
  expect(html).toContain('current-password');
  expect(html).not.toContain('given-name');
  const wrong = await submit(token, { password: 'not the password' });
  expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining('password is wrong')]);
  await api.admin.updateCustomer({ params: { customer_id: one.id }, body: { status: 'inactive' } });
  for (const rejected of [await openPage(token), await submit(token, { password: ownerPassword })])
    expect([rejected.status, await rejected.text()]).toEqual([
      409,
      expect.stringContaining('is not accepting new members'),
    ]);
  await api.admin.updateCustomer({ params: { customer_id: one.id }, body: { status: 'active' } });
  expect((await submit(token, { password: ownerPassword })).status).toBe(200);
});

test('the page has the branding of the customer, and links to the room after acceptance', async () => {
  const { customer, room } = await makeRoom(api);
  await api.admin.updateCustomer({
    params: { customer_id: customer.id },
    body: {
      customer_settings: {
        brand_name: 'Harbour Academy',
        primary_color: '#7a1fa2',
        support_url: 'https://help.harbour.example/',
      },
    },
  });
  const invitation = await invite(customer.id, { room_id: room.id });
  const token = await readMailedToken();
  const form = await (await openPage(token)).text();
  const accepted = await (await submit(token, { first_name: 'Grace', last_name: 'Hopper', password })).text();
  for (const html of [form, accepted]) {
    expect(html).toContain('Harbour Academy');
    expect(html).toContain('brand/7a1fa2.css');
    expect(html).toContain('https://help.harbour.example/');
  }
  const [, href = ''] = /<a class="button" href="([^"]+)">Go to the room/.exec(accepted) ?? [];
  expect(href).toBe(`${room.url}/sign-in`);
  const signedIn = await fetch(href, {
    method: 'POST',
    body: new URLSearchParams({ email: invitation.email, password }),
    redirect: 'manual',
  });
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, new URL(room.url).pathname]);
});

test('after acceptance the page lists the rooms that the user may read, or says what happens next', async () => {
  const { customer, account, room } = await makeRoom(api);
  const { data: other } = await api.admin.createRoom({ body: { account_id: account.id, room_name: 'Another room' } });
  await invite(customer.id, { account_id: account.id, permissions: ['read-account', 'read-room'] });
  const pageWithRooms = await (
    await submit(await readMailedToken(), { first_name: 'Grace', last_name: 'Hopper', password })
  ).text();
  for (const { url, room_name: name } of [room, other]) {
    expect(pageWithRooms).toContain(`${url}/sign-in`);
    expect(pageWithRooms).toContain(name);
  }
  const invitation = await invite(customer.id, { permissions: ['read-customer'] });
  const pageWithoutRooms = await (
    await submit(await readMailedToken(), { first_name: 'Ada', last_name: 'Byron', password })
  ).text();
  expect(pageWithoutRooms).not.toContain(room.url);
  expect(pageWithoutRooms).toContain(`sign in with ${invitation.email}`);
});
