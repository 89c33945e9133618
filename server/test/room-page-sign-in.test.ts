import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseIdentifier } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { makeProvider, makeRoom as makeRoomOf, openSandbox, unique } from './factories.ts';
import { firstAdmin } from './first-admin.ts';
import { pageVisitor } from './page-visitor.ts';

let api: TestApi;
let other: TestApi;
let sandbox: Sandbox;
let provider: string;
const password = 'difference engine no. 2';

beforeAll(async () => {
  api = await startApi({ rateLimits: true, trustProxy: 'loopback' });
  // Only failed attempts are limited here, not requests.
  const noLimit = 1_000_000;
  await api.admin.updateSettings({
    body: { requests_per_minute: noLimit, anonymous_requests_per_minute: noLimit, logins_per_minute: noLimit },
  });
  other = await api.another();
  sandbox = await openSandbox();
  provider = (await makeProvider(api, sandbox)).id;
});

afterAll(async () => {
  await sandbox.close();
  await other.close();
  await api.close();
});

interface Member {
  readonly id: string;
  readonly email: string;
}

/** Creates a user of the room's customer, by default without rights in the room. */
async function makeUser(fixture: RoomFixture, rights: readonly string[] = []): Promise<Member> {
  const { data } = await api.admin.createUser({
    body: { email: `${unique('grace')}@example.com`, first_name: 'Grace', last_name: 'Hopper', password },
  });
  await api.admin.createCustomerUser({
    params: { customer_id: fixture.customer.id },
    body: { user_id: data.id, permissions: ['read-customer'] },
  });
  if (rights.length > 0) {
    await api.admin.createRoomUser({
      params: { room_id: fixture.room.id },
      body: { user_id: data.id, permissions: [...rights] as never[] },
    });
  }
  return data;
}

async function makeRoomFixture(room: Record<string, unknown> = {}) {
  return await makeRoomOf(api, { provider, room });
}

type RoomFixture = Awaited<ReturnType<typeof makeRoomFixture>>;

async function makeLink({ room }: RoomFixture, user: Member | null, role: 'moderator' | 'attendee' = 'moderator') {
  const body = { role, user_id: user?.id ?? null };
  return (await api.admin.createRoomToken({ params: { room_id: room.id }, body })).data.url;
}

let visitorCount = 0;

/** Creates a visitor with a separate IP address. */
function createVisitor() {
  visitorCount += 1;
  const address = `198.51.100.${visitorCount}`;
  const { jar, open, send } = pageVisitor({ 'x-forwarded-for': address });
  return {
    jar,
    address,
    open,
    send,
    signIn: (url: string, person: { email: string; password?: string }, headers: Record<string, string> = {}) =>
      send(signInUrl(url), { email: person.email, password: person.password ?? password }, headers),
    signOut: (url: string) => send(pageUrl(url, 'sign-out'), {}),
  };
}

function pageUrl(url: string, page: string): string {
  const address = new URL(url);
  address.pathname += `/${page}`;
  return address.href;
}

function signInUrl(url: string): string {
  return pageUrl(url, 'sign-in');
}

const cookieName = 'foyer_room_user';
const personalLinkText = 'This invitation is personal';

async function countSessions(): Promise<number> {
  return (await api.app.dependencies.db.selectFrom('authorization_sessions').select('token_hash').execute()).length;
}

test('a personal link reveals nothing about its user to others, and works for that user after sign-in', async () => {
  const fixture = await makeRoomFixture();
  const user = await makeUser(fixture);
  const url = await makeLink(fixture, user);
  const grace = createVisitor();
  const refused = await grace.open(url);
  expect(refused.status).toBe(403);
  expect(refused.html).toContain(personalLinkText);
  expect(refused.html).not.toMatch(/Grace|Hopper|grace-/);
  expect(refused.html).toContain(`action="${new URL(signInUrl(url)).pathname}?`);
  expect(refused.html).toMatch(/type="email"[^>]*autocomplete="username"/);
  expect(refused.html).toMatch(/type="password"[^>]*autocomplete="current-password"/);
  expect((await grace.send(url, { name: 'Grace' })).status).toBe(403);

  const signedIn = await grace.signIn(url, { email: ` ${user.email.toUpperCase()} ` });
  expect([signedIn.status, signedIn.location]).toEqual([303, url]);
  const [cookie = ''] = signedIn.cookies;
  expect(cookie).toMatch(/^foyer_room_user=frp_[\w-]{43}; Max-Age=43200; Path=\/rooms; HttpOnly; SameSite=Lax$/);
  const joinPage = await grace.open(url);
  expect(joinPage.status).toBe(200);
  expect(joinPage.html).toMatch(/Signed in as<\/span><strong>Grace Hopper/);
  expect(joinPage.html).toContain('value="Grace Hopper"');
  const entered = await grace.send(url, { name: 'Grace Hopper' });
  expect(entered.status).toBe(303);
  expect(new URL(entered.location ?? '').searchParams.get('role')).toBe('MODERATOR');
  // No data of the user stays in the browser.
  await grace.signOut(url);
  expect(grace.jar.size).toBe(0);
});

test('the join and the sign-in are recorded with the user as the actor', async () => {
  const fixture = await makeRoomFixture();
  const user = await makeUser(fixture);
  const url = await makeLink(fixture, user);
  const grace = createVisitor();
  await grace.signIn(url, user);
  await grace.send(url, { name: 'G' });
  const { rows } = await api.app.connection.pool.query<{ action: string; address: string }>(
    "select action, address from audit_entries where actor_type = 'user' and actor_id = $1 order by id",
    [parseIdentifier('user', user.id)],
  );
  expect(rows.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['user.logged_in', 'participant.admitted', 'meeting.started']),
  );
  expect(new Set(rows.map(({ address }) => address))).toEqual(new Set([grace.address]));
});

test('a wrong password, an unknown email, an administrator and missing fields are rejected in the form', async () => {
  const fixture = await makeRoomFixture();
  const user = await makeUser(fixture);
  const url = await makeLink(fixture, user);
  const before = await countSessions();
  const words = 'role="alert">The email or the password is wrong, or the account is inactive.';
  for (const credentials of [
    { email: user.email, password: 'wrong password here' },
    { email: 'nobody@example.com', password },
    { email: firstAdmin.email, password: firstAdmin.password },
    { email: firstAdmin.username, password: firstAdmin.password },
  ]) {
    const { status, html, cookies } = await createVisitor().signIn(url, credentials);
    expect([status, cookies]).toEqual([422, []]);
    expect(html).toContain(words);
    expect(html).not.toContain(credentials.password);
    expect(html).toContain(`value="${credentials.email}"`);
  }
  const empty = await createVisitor().signIn(url, { email: ' ', password: '' });
  expect(empty.status).toBe(422);
  expect(empty.html).toContain('id="email-error">Enter your email.');
  expect(empty.html).toContain('id="password-error">Enter your password.');
  expect(await countSessions()).toBe(before);
  expect(api.log()).not.toContain(password);
});

test('failed sign-ins at the page and the API are counted together, over all processes', async () => {
  const fixture = await makeRoomFixture();
  const user = await makeUser(fixture);
  const url = await makeLink(fixture, user);
  const eve = createVisitor();
  for (let time = 0; time < 5; time++) {
    const nodeUrl = time % 2 === 0 ? url : url.replace(api.url, other.url);
    expect((await eve.signIn(nodeUrl, { email: user.email, password: 'wrong password here' })).status).toBe(422);
  }
  const logIn = async (address: string) =>
    (
      await api.anyone.request('loginUser', {
        body: { username: user.email, password: 'wrong password here' },
        headers: { 'x-forwarded-for': address },
      })
    ).status;
  for (let time = 0; time < 5; time++) expect(await logIn(eve.address)).toBe(422);
  expect(await logIn(eve.address)).toBe(429);
  const refused = await eve.signIn(url, user);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500);
  expect(refused.html).toContain('role="alert">Too many wrong attempts.');
  // The user signs in from another address.
  expect((await createVisitor().signIn(url, user)).status).toBe(303);
});

test('sign-ins have the same rate limit per name and address as logins', async () => {
  const fixture = await makeRoomFixture();
  const user = await makeUser(fixture);
  const url = await makeLink(fixture, user);
  await api.admin.updateSettings({ body: { logins_per_minute: 2 } });
  const grace = createVisitor();
  const statuses = [];
  for (let time = 0; time < 3; time++) statuses.push((await grace.signIn(url, user)).status);
  expect(statuses).toEqual([303, 303, 429]);
  await api.admin.updateSettings({ body: { logins_per_minute: 1_000_000 } });
});

test('a personal link is rejected for another user, who can sign out', async () => {
  const fixture = await makeRoomFixture();
  const [grace, eve] = [await makeUser(fixture), await makeUser(fixture)];
  const url = await makeLink(fixture, grace);
  const sharedBrowser = createVisitor();
  expect((await sharedBrowser.signIn(url, eve)).location).toBe(url);
  for (const response of [await sharedBrowser.open(url), await sharedBrowser.send(url, { name: 'Eve' })]) {
    expect(response.status).toBe(403);
    expect(response.html).toContain('is for someone else.');
    expect(response.html).toContain('Not you? Sign out');
    expect(response.html).not.toContain('type="password"');
  }
  const before = await countSessions();
  const signedOut = await sharedBrowser.signOut(url);
  expect([signedOut.status, signedOut.location]).toEqual([303, url]);
  expect(await countSessions()).toBe(before - 1);
  expect((await sharedBrowser.open(url)).html).toContain(personalLinkText);
  expect((await sharedBrowser.signIn(url, grace)).location).toBe(url);
  expect((await sharedBrowser.open(url)).status).toBe(200);
});

type Ending = readonly [description: string, end: (user: Member, fixture: RoomFixture) => Promise<unknown>];

test.each<Ending>([
  [
    'the password is changed',
    ({ id }) => api.admin.updateUser({ params: { user_id: id }, body: { password: 'another engine no. 3' } }),
  ],
  [
    'the user is deactivated',
    ({ id }) => api.admin.updateUser({ params: { user_id: id }, body: { status: 'inactive' } }),
  ],
  ['all sessions of the user are ended', ({ id }) => api.admin.endUserSessions({ params: { user_id: id } })],
  ['the user is deleted', ({ id }) => api.admin.deleteUser({ params: { user_id: id } })],
  [
    'the customer of the user is deactivated',
    (_user, { customer }) =>
      api.admin.updateCustomer({ params: { customer_id: customer.id }, body: { status: 'inactive' } }),
  ],
])('once %s, the cookie is invalid on every node', async (_case, end) => {
  // The user belongs to another customer, so the room itself can still be used.
  const [fixture, employer] = [await makeRoomFixture({ is_public: true }), await makeRoomFixture()];
  const user = await makeUser(employer);
  const grace = createVisitor();
  expect((await grace.signIn(fixture.room.url, user)).status).toBe(303);
  const urlOnOtherNode = fixture.room.url.replace(api.url, other.url);
  const cookie = grace.jar.get(cookieName) ?? { value: '', path: '' };
  for (const url of [fixture.room.url, urlOnOtherNode]) expect((await grace.open(url)).html).toContain('Signed in as');
  await end(user, employer);
  for (const url of [urlOnOtherNode, fixture.room.url]) {
    grace.jar.set(cookieName, cookie);
    expect((await grace.open(url)).html).not.toContain('Signed in as');
    expect(grace.jar.has(cookieName)).toBe(false);
  }
});

test('a user who cannot sign in over the API cannot sign in on the page', async () => {
  const [fixture, employer] = [await makeRoomFixture(), await makeRoomFixture()];
  const [inactive, userOfInactiveCustomer] = [await makeUser(fixture), await makeUser(employer)];
  await api.admin.updateUser({ params: { user_id: inactive.id }, body: { status: 'inactive' } });
  await api.admin.updateCustomer({ params: { customer_id: employer.customer.id }, body: { status: 'inactive' } });
  for (const user of [inactive, userOfInactiveCustomer])
    expect((await createVisitor().signIn(fixture.room.url, user)).html).toContain('or the account is inactive');
});

test('a sign-in lasts twelve hours', async () => {
  const fixture = await makeRoomFixture({ is_public: true });
  const user = await makeUser(fixture);
  const grace = createVisitor();
  await grace.signIn(fixture.room.url, user);
  const before = api.clock.now();
  api.clock.advance({ hours: 11, minutes: 59 });
  expect((await grace.open(fixture.room.url)).html).toContain('Signed in as');
  api.clock.advance({ minutes: 2 });
  expect((await grace.open(fixture.room.url)).html).not.toContain('Signed in as');
  api.clock.set(before);
});

test('a forged or replayed cookie is invalid, and the API does not accept the cookie as a token', async () => {
  const fixture = await makeRoomFixture({ is_public: true });
  const user = await makeUser(fixture);
  const grace = createVisitor();
  await grace.signIn(fixture.room.url, user);
  const { value: token = '' } = grace.jar.get(cookieName) ?? {};
  const isSignedIn = async (value: string) =>
    (await createVisitor().open(fixture.room.url, { cookie: `${cookieName}=${value}` })).html.includes('Signed in as');
  expect(await isSignedIn(token)).toBe(true);
  const overApi = await api.clientWith(token).request('readRoom', { params: { room_id: fixture.room.id } });
  expect(overApi.status).toBe(401);
  const { access_token: access } = await api.anyone.loginUser({ body: { username: user.email, password } });
  const forgeries = [
    access,
    token.slice(0, -1),
    `${token}A`,
    token.replace('frp_', 'fas_'),
    'frp_',
    '',
    "frp_' or 1=1",
  ];
  for (const forged of forgeries) expect(await isSignedIn(encodeURIComponent(forged))).toBe(false);
  await grace.signOut(fixture.room.url);
  expect(await isSignedIn(token)).toBe(false);
});

test('each sign-in sets a new cookie and ends the previous one', async () => {
  const fixture = await makeRoomFixture({ is_public: true });
  const [grace, eve] = [await makeUser(fixture), await makeUser(fixture)];
  const sharedBrowser = createVisitor();
  sharedBrowser.jar.set(cookieName, { value: `frp_${'A'.repeat(43)}`, path: '/rooms' });
  await sharedBrowser.signIn(fixture.room.url, eve);
  const first = sharedBrowser.jar.get(cookieName);
  expect(first?.value).not.toContain('AAAA');
  const before = await countSessions();
  await sharedBrowser.signIn(fixture.room.url, grace);
  expect(sharedBrowser.jar.get(cookieName)?.value).not.toBe(first?.value);
  expect(await countSessions()).toBe(before);
});

test('a cross-site form neither signs in nor signs out', async () => {
  const fixture = await makeRoomFixture({ is_public: true });
  const user = await makeUser(fixture);
  const grace = createVisitor();
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-site' },
  ]) {
    const { status, html, cookies } = await grace.signIn(fixture.room.url, user, headers);
    expect([status, cookies]).toEqual([403, []]);
    expect(html).toContain('came from another site');
  }
  await grace.signIn(fixture.room.url, user, { origin: api.url, 'sec-fetch-site': 'same-origin' });
  const signOutAnswer = await grace.send(pageUrl(fixture.room.url, 'sign-out'), {}, { 'sec-fetch-site': 'cross-site' });
  expect(signOutAnswer.status).toBe(403);
  expect((await grace.open(fixture.room.url)).html).toContain('Signed in as');
});

test('signing in or out never redirects to another site', async () => {
  const fixture = await makeRoomFixture({ is_public: true });
  const user = await makeUser(fixture);
  const redirectParams = '?next=https://evil.example&return_to=//evil.example&token=';
  const grace = createVisitor();
  const fields = { email: user.email, password, next: 'https://evil.example', redirect: '//evil.example' };
  for (const page of ['sign-in', 'sign-out']) {
    const { status, location } = await grace.send(`${pageUrl(fixture.room.url, page)}${redirectParams}`, fields);
    expect([status, location]).toEqual([303, fixture.room.url]);
  }
  expect((await grace.open(pageUrl(fixture.room.url, 'sign-out'))).location).toBe(fixture.room.url);
});

test('in a frame the cookie is partitioned; over TLS it is Secure', async () => {
  const fixture = await makeRoomFixture({ is_public: true });
  const user = await makeUser(fixture);
  const frameHeaders = { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' };
  const [frameCookie = ''] = (await createVisitor().signIn(fixture.room.url, user, frameHeaders)).cookies;
  for (const word of ['SameSite=None', 'Partitioned', 'Secure', 'HttpOnly']) expect(frameCookie).toContain(word);
  const [tlsCookie = ''] = (await createVisitor().signIn(fixture.room.url, user, { 'x-forwarded-proto': 'https' }))
    .cookies;
  expect(tlsCookie).toContain('; Secure');
  expect(tlsCookie).toContain('SameSite=Lax');
});

test('a moderator of the room can sign in by a link and join without token or code, as over the API', async () => {
  const fixture = await makeRoomFixture();
  await api.admin.createRoomAccessCode({ params: { room_id: fixture.room.id }, body: { role: 'moderator' } });
  const [moderator, reader] = [
    await makeUser(fixture, ['read-room', 'moderate']),
    await makeUser(fixture, ['read-room']),
  ];
  const grace = createVisitor();
  const refused = await grace.open(fixture.room.url);
  expect(refused.html).toContain('You need an invitation');
  expect(refused.html).toContain(
    `Do you moderate this room? <a href="${new URL(signInUrl(fixture.room.url)).pathname}">`,
  );
  const form = await grace.open(signInUrl(fixture.room.url));
  expect([form.status, form.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect((await grace.signIn(fixture.room.url, moderator)).location).toBe(fixture.room.url);
  const joinPage = await grace.open(fixture.room.url);
  expect(joinPage.html).toContain('joining as a moderator');
  expect(joinPage.html).not.toContain('access_code');
  const entered = await grace.send(fixture.room.url, { name: 'Grace Hopper', as_member: '1' });
  expect(new URL(entered.location ?? '').searchParams.get('role')).toBe('MODERATOR');
  expect((await api.admin.listRoomTokens({ params: { room_id: fixture.room.id } })).data).toEqual([]);

  // As in the API, the right to read the room does not allow joining.
  const ann = createVisitor();
  await ann.signIn(fixture.room.url, reader);
  const page = await ann.open(fixture.room.url);
  expect([page.status, page.html.includes('You need an invitation')]).toEqual([403, true]);
  expect(page.html).toContain('Signed in as');
});

test('a moderator who signs in at the link of another person joins as moderator; a link that they open afterwards decides the role', async () => {
  const fixture = await makeRoomFixture();
  const [moderator, guest] = [await makeUser(fixture, ['read-room', 'moderate']), await makeUser(fixture)];
  const [openLink, linkOfGuest, linkOfModerator] = [
    await makeLink(fixture, null, 'attendee'),
    await makeLink(fixture, guest, 'attendee'),
    await makeLink(fixture, moderator, 'attendee'),
  ];
  for (const url of [openLink, linkOfGuest])
    expect((await createVisitor().signIn(url, moderator)).location).toBe(fixture.room.url);
  const grace = createVisitor();
  expect((await grace.signIn(linkOfModerator, moderator)).location).toBe(linkOfModerator);
  expect((await grace.open(linkOfModerator)).html).toContain('joining as a participant');
  expect((await grace.open(openLink)).html).toContain('joining as a participant');
  expect((await grace.open(openLink)).html).not.toContain('Do you moderate this room?');
});

test('a moderator whose sign-in has ended does not join as a guest unintentionally', async () => {
  const fixture = await makeRoomFixture({ is_public: true, room_settings: { anyone_can_start: true } });
  const user = await makeUser(fixture, ['read-room', 'moderate']);
  const grace = createVisitor();
  await grace.signIn(fixture.room.url, user);
  expect((await grace.open(fixture.room.url)).html).toContain('name="as_member"');
  await api.admin.endUserSessions({ params: { user_id: user.id } });
  const { status, html } = await grace.send(fixture.room.url, { name: 'Grace', as_member: '1' });
  expect(status).toBe(403);
  expect(html).toContain('role="alert">You are no longer signed in.');
  expect(html).toContain('joining as a guest');
  expect((await grace.send(fixture.room.url, { name: 'Grace' })).status).toBe(303);
});

test('a user with a personal link waits for the moderator like other participants, as long as the user is signed in', async () => {
  const fixture = await makeRoomFixture();
  const user = await makeUser(fixture);
  const url = await makeLink(fixture, user, 'attendee');
  const grace = createVisitor();
  await grace.signIn(url, user);
  const { location: waitingUrl } = await grace.send(url, { name: 'Grace' });
  expect((await grace.open(waitingUrl ?? '')).html).toContain('Waiting as Grace');
  await api.admin.endUserSessions({ params: { user_id: user.id } });
  const refused = await grace.open(waitingUrl ?? '');
  expect([refused.status, refused.html.includes(personalLinkText)]).toEqual([403, true]);
});

test('the page and a join check give the same reason for a meeting server that does not respond', async () => {
  const fixture = await makeRoomOf(api, { provider: (await makeProvider(api)).id });
  const { html } = await createVisitor().send(await makeLink(fixture, null), { name: 'Grace' });
  const { data } = await api.admin.checkRoomEntry({
    params: { room_id: fixture.room.id },
    body: { role: 'moderator' },
  });
  const [reason] = data.reasons.filter(({ code }) => code === 'provider-unavailable');
  expect(html).toContain(`role="alert">${reason?.message}`);
});
