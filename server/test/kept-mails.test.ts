import { afterAll, beforeAll, expect, test } from 'vitest';
import { runJob } from '../src/modules.ts';
import { startApi, type TestApi } from './api.ts';
import { makeRoom, unique } from './factories.ts';
import { startMailServer } from './mail-server.ts';
import { sendNotifications } from './notifications.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function invite(node: TestApi, email: string, startsAt: string | null = null) {
  const { room } = await makeRoom(node);
  const { data } = await node.admin.inviteToRoom({
    params: { room_id: room.id },
    body: { to: [email], role: 'guest', starts_at: startsAt },
  });
  await sendNotifications(node);
  return { room, url: data[0]?.url ?? '', unmailedReason: data[0]?.unmailed_reason };
}

const findMails = async (node: TestApi, email: string) =>
  (await node.admin.listMails({ query: { search: `recipient:${email}` } })).data;

test('without a mail server, mails are kept for 30 days, with text and HTML for administrators with full access', async () => {
  const email = `${unique('guest')}@example.com`;
  const { room, url, unmailedReason } = await invite(api, email);
  expect(unmailedReason).toBe('no-mail-server');
  const [mail] = await findMails(api, email);
  expect(mail).toMatchObject({
    object: 'Mail',
    recipient: email,
    subject: `Invitation: ${room.room_name}`,
    kind: 'room_invitation',
    state: 'kept',
  });
  expect(mail).not.toHaveProperty('text');
  const params = { mail_id: mail?.id ?? '' };
  const { data } = await api.admin.readMail({ params });
  expect(data.text).toContain(url);
  expect(data.html).toContain('<!doctype html>');
  api.clock.advance({ days: 31 });
  await runJob(api.app.dependencies, 'prune-mails');
  expect(await findMails(api, email)).toEqual([]);
});

test('the calendar entry of a kept invitation is its attachment', async () => {
  const [plain, dated] = [`${unique('guest')}@example.com`, `${unique('guest')}@example.com`];
  await invite(api, plain);
  const { room } = await invite(api, dated, new Date(api.clock.nowMs() + 86_400_000).toISOString());
  const [withoutEntry] = await findMails(api, plain);
  const [withEntry] = await findMails(api, dated);
  expect((await api.admin.readMail({ params: { mail_id: withoutEntry?.id ?? '' } })).data.attachments).toEqual([]);
  const { data } = await api.admin.readMail({ params: { mail_id: withEntry?.id ?? '' } });
  expect(data.attachments).toMatchObject([
    { file_name: 'invite.ics', content_type: 'text/calendar; charset=utf-8; method=REQUEST' },
  ]);
  expect(data.attachments?.[0]?.content).toContain(`SUMMARY:${room.room_name}`);
});

test('administrators without full access can read the list of mails, but not their texts', async () => {
  const email = `${unique('guest')}@example.com`;
  await invite(api, email);
  const { data: role } = await api.admin.createRole({ body: { name: unique('reads') } });
  const { data: permissions } = await api.admin.listPermissions({ query: { limit: 0 } });
  const permissionIds = permissions.filter(({ name }) => name === 'read-settings').map(({ id }) => id);
  await api.admin.attachPermissions({ body: { role_id: role.id, permissions_ids: permissionIds } });
  const username = unique('reader');
  const password = 'compilers of the navy';
  await api.admin.createAdmin({
    body: {
      username,
      password,
      email: `${username}@example.com`,
      first_name: 'Grace',
      last_name: 'Hopper',
      roles_ids: [role.id],
    },
  });
  const reader = api.clientWith((await api.anyone.loginAdmin({ body: { username, password } })).access_token);
  const [mail] = (await reader.listMails({ query: { search: `recipient:${email}` } })).data;
  const { data } = await reader.readMail({ params: { mail_id: mail?.id ?? '' } });
  expect(data).toMatchObject({ recipient: email, text: null, html: null, attachments: null });
});

test('with a mail server, the text of a mail is never shown, neither before nor after it is sent', async () => {
  const server = await startMailServer();
  const apiWithMail = await startApi({ mail: { smtpUrl: server.url, from: null } });
  const email = `${unique('guest')}@example.com`;
  server.behave('reject');
  await invite(apiWithMail, email);
  const [queued] = await findMails(apiWithMail, email);
  expect(queued).toMatchObject({ state: 'queued', attempts: 1 });
  const params = { mail_id: queued?.id ?? '' };
  expect((await apiWithMail.admin.readMail({ params })).data).toMatchObject({ text: null, html: null });
  server.behave('accept');
  apiWithMail.clock.advance({ minutes: 2 });
  await sendNotifications(apiWithMail);
  expect((await apiWithMail.admin.readMail({ params })).data).toMatchObject({ state: 'sent', text: null, html: null });
  await apiWithMail.close();
  await server.close();
});
