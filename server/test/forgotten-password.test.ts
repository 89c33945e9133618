import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createCatalogues } from '../src/platform/text/catalogues.ts';
import { startApi, type TestApi } from './api.ts';
import { makeProvider, makeRoom as makeRoomOf, openSandbox, unique } from './factories.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { pageVisitor } from './page-visitor.ts';
import { runJob } from '../src/modules.ts';

let mail: MailServer;
let api: TestApi;
let apiWithoutMail: TestApi;
let sandbox: Sandbox;
const providers = new Map<TestApi, string>();
const password = 'difference engine no. 2';
const newPassword = 'analytical engine no. 1';

beforeAll(async () => {
  [mail, sandbox] = await Promise.all([startMailServer(), openSandbox()]);
  [api, apiWithoutMail] = await Promise.all([startApi({ mail: { smtpUrl: mail.url, from: null } }), startApi()]);
  for (const process of [api, apiWithoutMail]) providers.set(process, (await makeProvider(process, sandbox)).id);
});
afterAll(async () => {
  await Promise.all([api.close(), apiWithoutMail.close()]);
  await Promise.all([mail.close(), sandbox.close()]);
});
beforeEach(() => {
  mail.mails.length = 0;
  api.clock.advance({ hours: 2 });
});

/** A user of a customer, with a personal link to one of its rooms. */
async function makeStudent(node = api) {
  const { room, customer } = await makeRoomOf(node, { provider: providers.get(node) ?? '' });
  const email = `${unique('grace')}@example.com`;
  const { data: user } = await node.admin.createUser({
    body: { email, first_name: 'Grace', last_name: 'Hopper', password },
  });
  await node.admin.createCustomerUser({
    params: { customer_id: customer.id },
    body: { user_id: user.id, permissions: ['read-customer'] },
  });
  const { data: token } = await node.admin.createRoomToken({
    params: { room_id: room.id },
    body: { role: 'attendee', user_id: user.id },
  });
  return { room, customer, user, email, link: token.url };
}

async function runMailJobs(): Promise<void> {
  await runJob(api.app.dependencies, 'answer-password-requests');
  await runJob(api.app.dependencies, 'send-mails');
}

const unescapeHref = (href: string) => href.replaceAll('&amp;', '&');

function findHref(html: string, label: string, base: string): string {
  const [, href] = new RegExp(`href="([^"]+)"[^>]*>${label.replaceAll('?', '\\?')}<`).exec(html) ?? [];
  if (href === undefined) throw new Error(`There is no link ${label}.`);
  return new URL(unescapeHref(href), base).href;
}

function forgottenPasswordUrl(link: string): string {
  const url = new URL(link);
  url.pathname += '/forgotten-password';
  return url.href;
}

test('a user who forgot the password requests a new one with the personal link, sets it with the mailed link, and joins with the personal link', async () => {
  const { email, link } = await makeStudent();
  const { open, send } = pageVisitor();
  const page = await open(findHref((await open(link)).html, 'Forgot your password?', link));
  expect(page.status).toBe(200);
  const response = await send(forgottenPasswordUrl(link), { email: email.toUpperCase() });
  expect([response.status, response.location]).toEqual([303, `${forgottenPasswordUrl(link)}&sent=1`]);
  expect((await open(response.location ?? '')).html).toContain('If there is an account with this email');
  await runMailJobs();
  const { link: resetLink = '' } = mail.mails[0] ?? {};
  expect(mail.mails).toMatchObject([{ to: email }]);
  expect(resetLink).not.toContain('frm_');
  const resetPage = await send(resetLink, { password: newPassword });
  const signInLink = findHref(resetPage.html, 'Sign in', resetLink);
  expect(new URL(signInLink).origin).toBe(new URL(link).origin);
  const signedIn = await send(signInLink, { email, password: newPassword });
  expect([signedIn.status, signedIn.location]).toEqual([303, link]);
  expect((await open(link)).html).toContain('Grace Hopper');
});

test("a reset mail requested with another user's link leads to the room's sign-in, without the token", async () => {
  const student = await makeStudent();
  const other = await makeStudent();
  const { data: shared } = await api.admin.createRoomToken({
    params: { room_id: student.room.id },
    body: { role: 'attendee' },
  });
  const visitor = pageVisitor();
  for (const link of [student.link, shared.url, `${student.room.url}?token=frm_x`]) {
    api.clock.advance({ hours: 2 });
    mail.mails.length = 0;
    await visitor.send(forgottenPasswordUrl(link), { email: other.email });
    await runMailJobs();
    const resetLink = mail.mails[0]?.link ?? '';
    const resetPage = await visitor.send(resetLink, { password: newPassword });
    expect(findHref(resetPage.html, 'Sign in', resetLink)).toBe(`${student.room.url}/sign-in`);
  }
});

test('the link to the room does not depend on the request, and is missing for a deleted room', async () => {
  const { room, email } = await makeStudent();
  const visitor = pageVisitor();
  await visitor.send(`${forgottenPasswordUrl(room.url)}?return_to=https://evil.example&next=//evil.example`, {
    email,
    return_to: 'https://evil.example',
    room_id: 'room_evil',
  });
  await runMailJobs();
  const resetLink = mail.mails[0]?.link ?? '';
  await api.admin.deleteRoom({ params: { room_id: room.id } });
  const resetPage = await visitor.send(`${resetLink}?next=https://evil.example`, { password: newPassword });
  expect([resetPage.status, resetPage.html]).toEqual([200, expect.stringContaining('Your password has been changed')]);
  expect(resetPage.html).not.toMatch(/evil|class="button"/);
});

test('a request for an unknown email or for the email of an administrator gets the same answer as for a user, and no mail', async () => {
  const { link, email } = await makeStudent();
  const { data: admin } = await api.admin.readCallingAdmin();
  const answers = [];
  for (const address of [email, `${unique('nobody')}@example.com`, admin.email]) {
    const { status, location, html, cookies } = await pageVisitor().send(forgottenPasswordUrl(link), {
      email: address,
    });
    answers.push({ status, location, html, cookies });
  }
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[2]).toEqual(answers[0]);
  await runMailJobs();
  expect(mail.mails.map(({ to }) => to)).toEqual([email]);
});

test('requests count toward the limit of the API, also for unknown emails', async () => {
  const { link } = await makeStudent();
  const email = `${unique('nobody')}@example.com`;
  const visitor = pageVisitor();
  await api.anyone.forgotUserPassword({ body: { email } });
  for (let time = 0; time < 2; time += 1)
    expect((await visitor.send(forgottenPasswordUrl(link), { email })).status).toBe(303);
  const refused = await visitor.send(forgottenPasswordUrl(link), { email });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  expect(refused.html).toContain('Too many requests.');
});

test.each(['', 'grace', 'grace@', `${'x'.repeat(300)}@example.com`, 'a\u0000b@example.com'])(
  'without a valid email (%j) no mail is sent, and the page shows the error',
  async (email) => {
    const { link } = await makeStudent();
    const answer = await pageVisitor().send(forgottenPasswordUrl(link), { email });
    expect([answer.status, answer.html]).toEqual([422, expect.stringContaining('Enter your email.')]);
  },
);

test('a form of another site sends no mail', async () => {
  const { link, email } = await makeStudent();
  const answer = await pageVisitor({ 'sec-fetch-site': 'cross-site' }).send(forgottenPasswordUrl(link), { email });
  expect(answer.status).toBe(403);
  await runMailJobs();
  expect(mail.mails).toEqual([]);
});

test.each([...createCatalogues().values()])(
  'the pages are shown in $languageName',
  async ({ language, room: texts }) => {
    const { link } = await makeStudent();
    const { open } = pageVisitor({ 'accept-language': language });
    const page = await open(forgottenPasswordUrl(link));
    const sent = await open(`${forgottenPasswordUrl(link)}&sent=1`);
    for (const { html } of [page, sent]) expect(html).toContain(`<html lang="${language}"`);
    expect(page.html).toContain(texts.forgottenPassword.submit);
    expect(sent.html).toContain(texts.forgottenPassword.sent);
    expect(page.html).not.toContain('<script>');
  },
);

test('without a mail server, the sign-in page links to the support page of the customer, or says to ask the person who sent the invitation', async () => {
  const { link, customer, email } = await makeStudent(apiWithoutMail);
  const { open, send } = pageVisitor();
  expect((await open(link)).html).toContain('Forgot your password? Ask the person who invited you for help.');
  const signIn = link.replace('?', '/sign-in?');
  expect((await open(forgottenPasswordUrl(link))).location).toBe(signIn);
  expect((await send(forgottenPasswordUrl(link), { email })).location).toBe(signIn);
  await apiWithoutMail.admin.updateCustomer({
    params: { customer_id: customer.id },
    body: { customer_settings: { support_url: 'https://aurora.example/help' } },
  });
  const { html } = await open(signIn);
  expect(findHref(html, 'Ask for help', link)).toBe('https://aurora.example/help');
});
