import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../api.ts';
import { makeCustomer } from '../factories.ts';
import { firstAdmin } from '../first-admin.ts';
import {
  adminLogin,
  authorizeUrl,
  type Browser,
  openPage,
  type PageAnswer,
  submit,
  registerClient,
  authorizationRequest,
  type TestClient,
} from './protocol.ts';

let api: TestApi;
let client: TestClient;
let url: string;

beforeAll(async () => {
  api = await startApi();
  client = await registerClient(api, {
    name: 'School <portal>',
    scopes: ['rooms:read', 'rooms:write', 'customers:read'],
  });
  url = authorizeUrl(api, authorizationRequest(client));
});
afterAll(() => api.close());

async function logIn(): Promise<{ browser: Browser; consent: PageAnswer }> {
  const browser: Browser = { cookie: null };
  await submit(browser, url, await openPage(browser, url), 'login', adminLogin);
  return { browser, consent: await openPage(browser, url) };
}

test('the login page names the client, and forbids framing, caching and referrers', async () => {
  const page = await openPage({ cookie: null }, url);
  expect(page.status).toBe(200);
  expect(page.html).toContain('School &lt;portal>');
  expect(page.html).toContain('autocomplete="current-password"');
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("form-action 'self' https://app.example");
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('script-src');
  expect(page.headers.get('x-frame-options')).toBe('DENY');
  expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  expect(page.headers.get('cache-control')).toBe('no-store');
});

test('the cookie is limited to the page, short-lived and HttpOnly', async () => {
  const page = await openPage({ cookie: null }, url);
  expect(page.headers.get('set-cookie')).toMatch(
    /^foyer_authorize=fas_[\w-]{43}; Max-Age=900; Path=\/oauth\/authorize; HttpOnly; SameSite=Lax$/,
  );
  const versioned = await openPage({ cookie: null }, url.replace('/oauth/', '/api/v1/oauth/'));
  expect(versioned.headers.get('set-cookie')).toContain('Path=/api/v1/oauth/authorize;');
});

test('the consent page shows the requested scopes, the account and the redirect address in plain words', async () => {
  const { consent } = await logIn();
  expect(consent.status).toBe(200);
  expect(consent.html).toContain('<strong>Rooms</strong><span>View and manage</span>');
  expect(consent.html).toContain('<strong>Customers</strong><span>View</span>');
  expect(consent.html).toContain(firstAdmin.email);
  expect(consent.html).toContain('You will continue to app.example.');
  const german = await fetch(url, { headers: { 'accept-language': 'de' } });
  expect(await german.text()).toContain('lang="de"');
});

test('a denial redirects with access_denied and issues no code', async () => {
  const { browser, consent } = await logIn();
  const denial = await submit(browser, url, consent, 'deny');
  const answer = new URL(denial.location ?? '');
  expect([denial.status, answer.searchParams.get('error'), answer.searchParams.get('state')]).toEqual([
    303,
    'access_denied',
    'af0ifjsldkj',
  ]);
  expect(answer.searchParams.has('code')).toBe(false);
});

test('a failed login shows the same message for known and unknown names, keeps the name, and never repeats the password', async () => {
  const browser: Browser = { cookie: null };
  const loginPage = await openPage(browser, url);
  const wrong = await submit(browser, url, loginPage, 'login', { ...adminLogin, password: 'a wrong <password>' });
  const unknown = await submit(browser, url, loginPage, 'login', {
    username: 'nobody',
    password: 'a wrong <password>',
  });
  for (const [page, name] of [
    [wrong, adminLogin.username],
    [unknown, 'nobody'],
  ] as const) {
    expect([page.status, page.location]).toEqual([422, null]);
    expect(page.html).toContain('The name or password is wrong');
    expect(page.html).toContain(`value="${name}"`);
    expect(page.html).not.toContain('a wrong');
  }
  const empty = await submit(browser, url, loginPage, 'login', { username: '', password: '' });
  expect([empty.status, empty.html.match(/class="error"/g)?.length]).toEqual([422, 2]);
  expect(api.log()).not.toContain('a wrong <password>');
});

test('only people of the population of the client can log in', async () => {
  await makeCustomer(api, { email: 'user@example.com', password: 'a user of a customer' });
  const users = await registerClient(api, { population: 'users', scopes: ['rooms:read'] });
  const usersUrl = authorizeUrl(api, authorizationRequest(users));
  const login = { username: 'user@example.com', password: 'a user of a customer' };
  const browser: Browser = { cookie: null };
  const loginPage = await openPage(browser, usersUrl);
  expect((await submit(browser, usersUrl, loginPage, 'login', adminLogin)).status).toBe(422);
  expect((await submit(browser, usersUrl, loginPage, 'login', login)).status).toBe(303);
  expect((await openPage(browser, usersUrl)).html).toContain('user@example.com');
  const stranger: Browser = { cookie: null };
  expect((await submit(stranger, url, await openPage(stranger, url), 'login', login)).status).toBe(422);
  // A session of a user does not count for a client of administrators.
  expect((await openPage(browser, url)).html).toContain('current-password');
});

test('a form from another site or another session is rejected', async () => {
  const { browser, consent } = await logIn();
  const form = { do: 'allow', form_token: /name="form_token" value="([^"]+)"/.exec(consent.html)?.[1] ?? '' };
  const otherVisitor = await logIn();
  const attempts: [Browser, Record<string, string>][] = [
    [browser, { do: 'allow' }],
    [browser, { do: 'allow', form_token: 'x' }],
    [{ cookie: null }, form],
    [otherVisitor.browser, form],
  ];
  for (const [requester, formFields] of attempts) {
    const page = await openPage({ ...requester }, url, formFields);
    expect([page.status, page.location]).toEqual([403, null]);
  }
  const crossSite = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      cookie: browser.cookie ?? '',
      'sec-fetch-site': 'cross-site',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(form).toString(),
  });
  expect(crossSite.status).toBe(403);
  expect((await openPage(browser, url, form)).location).toContain('code=');
});

test('a login gets a new session cookie, against session fixation', async () => {
  const browser: Browser = { cookie: null };
  const loginPage = await openPage(browser, url);
  const cookieBefore = browser.cookie;
  await submit(browser, url, loginPage, 'login', adminLogin);
  expect(browser.cookie).not.toBe(cookieBefore);
  expect((await openPage({ cookie: cookieBefore }, url)).html).toContain('current-password');
});

test('a login on the page lasts 15 minutes', async () => {
  const { browser } = await logIn();
  api.clock.advance({ seconds: 899 });
  expect((await openPage(browser, url)).html).not.toContain('current-password');
  api.clock.advance({ seconds: 2 });
  expect((await openPage(browser, url)).html).toContain('current-password');
});

test('logging out ends the session of the page', async () => {
  const { browser, consent } = await logIn();
  const cookieBefore = browser.cookie;
  const logout = await submit(browser, url, consent, 'leave');
  expect([logout.status, logout.location]).toEqual([303, new URL(url).pathname + new URL(url).search]);
  expect((await openPage({ cookie: cookieBefore }, url)).html).toContain('current-password');
});

test('a login on the page ends when the user is deactivated, changes the password or ends all other sessions', async () => {
  const { db } = api.app.dependencies;
  const { browser } = await logIn();
  const isLoggedIn = async () => !(await openPage({ ...browser }, url)).html.includes('current-password');
  expect(await isLoggedIn()).toBe(true);
  await db.updateTable('admins').set({ status: 'inactive' }).execute();
  expect(await isLoggedIn()).toBe(false);
  await db.updateTable('admins').set({ status: 'active' }).execute();
  expect(await isLoggedIn()).toBe(true);
  const { password_hash: hash } = await db.selectFrom('admins').select('password_hash').executeTakeFirstOrThrow();
  await db.updateTable('admins').set({ password_hash: '$argon2id$changed' }).execute();
  expect(await isLoggedIn()).toBe(false);
  await db.updateTable('admins').set({ password_hash: hash }).execute();
  expect(await isLoggedIn()).toBe(true);
  await api.admin.deleteOtherOauthTokens();
  expect(await isLoggedIn()).toBe(false);
});

test('an administrator with a second factor enters the code on a separate page that does not contain the password', async () => {
  const { access_token: token } = await api.anyone.loginAdmin({ body: adminLogin });
  const me = api.clientWith(token);
  const { data } = await me.beginTwoFactor({ body: { password: adminLogin.password } });
  await me.confirmTwoFactor({ body: { code: oneTimeCode(data.secret, api.clock.nowMs()) } });
  api.clock.advance({ seconds: 30 });
  const browser: Browser = { cookie: null };
  const codePage = await submit(browser, url, await openPage(browser, url), 'login', adminLogin);
  expect([codePage.status, codePage.html.includes('autocomplete="one-time-code"')]).toEqual([200, true]);
  expect(codePage.html).not.toContain(adminLogin.password);
  const missing = await submit(browser, url, codePage, 'confirm', { otp: '' });
  expect(missing.status).toBe(422);
  const wrong = await submit(browser, url, missing, 'confirm', { otp: '000000' });
  expect([wrong.status, wrong.html.includes('The code is wrong')]).toEqual([422, true]);
  const stranger: Browser = { cookie: null };
  const loginPage = await openPage(stranger, url);
  const stolenFirstStep = /name="first_step" value="([^"]+)"/.exec(wrong.html)?.[1] ?? '';
  const code = oneTimeCode(data.secret, api.clock.nowMs());
  const replayed = await submit(stranger, url, loginPage, 'confirm', { first_step: stolenFirstStep, otp: code });
  expect([replayed.status, replayed.html.includes('current-password')]).toEqual([200, true]);
  const accepted = await submit(browser, url, wrong, 'confirm', { otp: code });
  expect(accepted.status).toBe(303);
  expect((await openPage(browser, url)).html).toContain('Rooms');
});

test('the page is served at both paths, for GET and POST only', async () => {
  for (const path of ['/oauth/authorize', '/api/v1/oauth/authorize']) {
    const answer = await fetch(`${api.url}${path}`, { method: 'DELETE' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    expect((await fetch(`${api.url}${path}`)).status).toBe(400);
  }
});

/** RFC 6238: SHA-1, 30 seconds, six digits. */
function oneTimeCode(secret: string, nowMs: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/[01]{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000)));
  const mac = createHmac('sha1', key).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0');
}
