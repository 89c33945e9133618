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
let mailless: TestApi;
let sandbox: Sandbox;
const providers = new Map<TestApi, string>();
const password = 'difference engine no. 2';
const newPassword = 'analytical engine no. 1';

beforeAll(async () => {
  [mail, sandbox] = await Promise.all([startMailServer(), openSandbox()]);
  [api, mailless] = await Promise.all([startApi({ mail: { smtpUrl: mail.url, from: null } }), startApi()]);
  for (const process of [api, mailless]) providers.set(process, (await makeProvider(process, sandbox)).id);
});
afterAll(async () => {
  await Promise.all([api.close(), mailless.close()]);
  await Promise.all([mail.close(), sandbox.close()]);
});
beforeEach(() => {
  mail.mails.length = 0;
  api.clock.advance({ hours: 2 });
});

/** A user of a customer, with a personal link to one of its rooms. */
async function makeStudent(on = api) {
  const { room, customer } = await makeRoomOf(on, { provider: providers.get(on) ?? '' });
  const email = `${unique('grace')}@example.com`;
  const { data: user } = await on.admin.createUser({
    body: { email, first_name: 'Grace', last_name: 'Hopper', password },
  });
  await on.admin.createCustomerUser({
    params: { customer_id: customer.id },
    body: { user_id: user.id, permissions: ['read-customer'] },
  });
  const { data: token } = await on.admin.createRoomToken({
    params: { room_id: room.id },
    body: { role: 'attendee', user_id: user.id },
  });
  return { room, customer, user, email, link: token.url };
}

async function work(): Promise<void> {
  await runJob(api.app.dependencies, 'answer-password-requests');
  await runJob(api.app.dependencies, 'send-mails');
}

const unescaped = (href: string) => href.replaceAll('&amp;', '&');

function hrefIn(html: string, label: string, base: string): string {
  const [, href] = new RegExp(`href="([^"]+)"[^>]*>${label.replaceAll('?', '\\?')}<`).exec(html) ?? [];
  if (href === undefined) throw new Error(`There is no link ${label}.`);
  return new URL(unescaped(href), base).href;
}

function forgottenAt(link: string): string {
  const url = new URL(link);
  url.pathname += '/forgotten-password';
  return url.href;
}

test('a user who forgot the password requests a new one at the personal link, sets it by mail, and joins with the same link', async () => {
  const { email, link } = await makeStudent();
  const { open, send } = pageVisitor();
  const page = await open(hrefIn((await open(link)).html, 'Forgot your password?', link));
  expect(page.status).toBe(200);
  const response = await send(forgottenAt(link), { email: email.toUpperCase() });
  expect([response.status, response.location]).toEqual([303, `${forgottenAt(link)}&sent=1`]);
  expect((await open(response.location ?? '')).html).toContain('If there is an account with this email');
  await work();
  const { link: mailed = '' } = mail.mails[0] ?? {};
  expect(mail.mails).toMatchObject([{ to: email }]);
  expect(mailed).not.toContain('frm_');
  const done = await send(mailed, { password: newPassword });
  const back = hrefIn(done.html, 'Sign in', mailed);
  expect(new URL(back).origin).toBe(new URL(link).origin);
  const signedIn = await send(back, { email, password: newPassword });
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
    await visitor.send(forgottenAt(link), { email: other.email });
    await work();
    const mailed = mail.mails[0]?.link ?? '';
    const done = await visitor.send(mailed, { password: newPassword });
    expect(hrefIn(done.html, 'Sign in', mailed)).toBe(`${student.room.url}/sign-in`);
  }
});

test('the link to the room does not depend on the request, and is missing for a deleted room', async () => {
  const { room, email } = await makeStudent();
  const visitor = pageVisitor();
  await visitor.send(`${forgottenAt(room.url)}?return_to=https://evil.example&next=//evil.example`, {
    email,
    return_to: 'https://evil.example',
    room_id: 'room_evil',
  });
  await work();
  const mailed = mail.mails[0]?.link ?? '';
  await api.admin.deleteRoom({ params: { room_id: room.id } });
  const done = await visitor.send(`${mailed}?next=https://evil.example`, { password: newPassword });
  expect([done.status, done.html]).toEqual([200, expect.stringContaining('Your password has been changed')]);
  expect(done.html).not.toMatch(/evil|class="button"/);
});

test('an unknown email and one of an administrator get the same answer and no mail', async () => {
  const { link, email } = await makeStudent();
  const { data: admin } = await api.admin.readCallingAdmin();
  const answers = [];
  for (const address of [email, `${unique('nobody')}@example.com`, admin.email]) {
    const { status, location, html, cookies } = await pageVisitor().send(forgottenAt(link), { email: address });
    answers.push({ status, location, html, cookies });
  }
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[2]).toEqual(answers[0]);
  await work();
  expect(mail.mails.map(({ to }) => to)).toEqual([email]);
});

test('requests count toward the limit of the API, also for unknown emails', async () => {
  const { link } = await makeStudent();
  const email = `${unique('nobody')}@example.com`;
  const visitor = pageVisitor();
  await api.anyone.forgotUserPassword({ body: { email } });
  for (let time = 0; time < 2; time += 1) expect((await visitor.send(forgottenAt(link), { email })).status).toBe(303);
  const refused = await visitor.send(forgottenAt(link), { email });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  expect(refused.html).toContain('Too many requests.');
});

test.each(['', 'grace', 'grace@', `${'x'.repeat(300)}@example.com`, 'a\u0000b@example.com'])(
  'without a valid email (%j) no mail is sent, and the page shows the error',
  async (email) => {
    const { link } = await makeStudent();
    const answer = await pageVisitor().send(forgottenAt(link), { email });
    expect([answer.status, answer.html]).toEqual([422, expect.stringContaining('Enter your email.')]);
  },
);

test('a form of another site sends no mail', async () => {
  const { link, email } = await makeStudent();
  const answer = await pageVisitor({ 'sec-fetch-site': 'cross-site' }).send(forgottenAt(link), { email });
  expect(answer.status).toBe(403);
  await work();
  expect(mail.mails).toEqual([]);
});

test.each([...createCatalogues().values()])('the pages are in $languageName', async ({ language, room: texts }) => {
  const { link } = await makeStudent();
  const { open } = pageVisitor({ 'accept-language': language });
  const page = await open(forgottenAt(link));
  const sent = await open(`${forgottenAt(link)}&sent=1`);
  for (const { html } of [page, sent]) expect(html).toContain(`<html lang="${language}"`);
  expect(page.html).toContain(texts.forgottenPassword.submit);
  expect(sent.html).toContain(texts.forgottenPassword.sent);
  expect(page.html).not.toContain('<script>');
});

test('without a mail server, the sign-in page links to the support page of the customer, or refers to the inviting person', async () => {
  const { link, customer, email } = await makeStudent(mailless);
  const { open, send } = pageVisitor();
  expect((await open(link)).html).toContain('Forgot your password? Ask the person who invited you for help.');
  const signIn = link.replace('?', '/sign-in?');
  expect((await open(forgottenAt(link))).location).toBe(signIn);
  expect((await send(forgottenAt(link), { email })).location).toBe(signIn);
  await mailless.admin.updateCustomer({
    params: { customer_id: customer.id },
    body: { customer_settings: { support_url: 'https://aurora.example/help' } },
  });
  const { html } = await open(signIn);
  expect(hrefIn(html, 'Ask for help', link)).toBe('https://aurora.example/help');
});
