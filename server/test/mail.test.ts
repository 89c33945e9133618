import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../src/config.ts';
import { inTransaction, system } from '../src/events/change.ts';
import { type MailContents, prepareMail, queueMail, withdrawMail } from '../src/modules/mail/index.ts';
import { startWorker } from '../src/worker.ts';
import { startApi, type TestApi } from './api.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { runJob } from '../src/modules.ts';

let server: MailServer;
let api: TestApi;

beforeAll(async () => {
  server = await startMailServer({ user: 'foyer', password: 'p@ss:word/1' });
  api = await startApi({ mail: { smtpUrl: server.url, from: null, silenceMs: 400 } });
});
afterAll(async () => {
  await api.close();
  await server.close();
});
beforeEach(() => server.behave('accept'));
afterEach(async () => {
  server.mails.length = 0;
  await api.app.connection.pool.query('delete from mails');
});

const secret = 'https://example.org/secret-link-0123';

async function queue(recipient: string, contents: Partial<MailContents> = {}, expiresInHours = 24): Promise<string> {
  const { dependencies } = api.app;
  const draft = await prepareMail(dependencies, {
    kind: 'invitation',
    recipient,
    locale: 'en',
    contents: {
      subject: 'A subject',
      heading: 'A heading',
      paragraphs: ['A paragraph.'],
      action: { label: 'Go there', url: secret },
      notes: ['A note.'],
      ...contents,
    },
    expiresAt: new Date(api.clock.nowMs() + expiresInHours * 3_600_000).toISOString(),
  });
  await inTransaction(dependencies, system, (change) => queueMail(change, draft));
  return draft.id;
}

interface MailRow {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly content_sealed: string | null;
  readonly due_at: string;
  readonly last_error: string | null;
}

async function readMails(): Promise<MailRow[]> {
  const { rows } = await api.app.connection.pool.query<MailRow>('select * from mails order by id');
  return rows;
}

const send = () => runJob(api.app.dependencies, 'send-mails');

test('a mail is sent as text and HTML from the platform, and its content is erased', async () => {
  await queue('ada@example.com');
  expect((await readMails())[0]?.content_sealed).not.toContain('secret-link');
  expect(await send()).toBe(1);
  const [mail] = server.mails;
  expect(mail).toMatchObject({
    from: 'Foyer <no-reply@127.0.0.1>',
    to: 'ada@example.com',
    subject: 'A subject',
    recipients: ['ada@example.com'],
    user: 'foyer',
  });
  expect(mail?.text).toContain(secret);
  expect(mail?.html).toContain(`href="${secret}"`);
  expect(mail?.headers).toContainEqual(expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }));
  expect(await readMails()).toMatchObject([{ state: 'sent', content_sealed: null, attempts: 1 }]);
  expect(await send()).toBe(0);
});

test('no mail is queued when the transaction rolls back', async () => {
  const { dependencies } = api.app;
  const draft = await prepareMail(dependencies, {
    kind: 'invitation',
    recipient: 'nobody@example.com',
    locale: 'en',
    contents: { subject: 's', heading: 'h', paragraphs: [], action: { label: 'l', url: secret }, notes: [] },
    expiresAt: '2030-01-01T00:00:00Z',
  });
  const failing = inTransaction(dependencies, system, async (change) => {
    await queueMail(change, draft);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await readMails()).toEqual([]);
});

test('names and texts can inject neither headers nor markup', async () => {
  const line = 'Meet\r\nBcc: victim@example.com\r\n\r\n<script>alert(1)</script>';
  await api.admin.updateSettings({ body: { platform_name: 'Evil"\r\nX-Evil: 1' } });
  await queue('ada@example.com', { subject: line, heading: line, paragraphs: [line], notes: [line] });
  expect(await send()).toBe(1);
  const [mail] = server.mails;
  expect(mail?.recipients).toEqual(['ada@example.com']);
  expect(mail?.headers.map(({ key }) => key)).not.toContain('bcc');
  expect(mail?.headers.map(({ key }) => key)).not.toContain('x-evil');
  expect(mail?.subject).toBe('Meet Bcc: victim@example.com <script>alert(1)</script>');
  expect(mail?.html).not.toContain('<script>');
  await api.admin.updateSettings({ body: { platform_name: 'Foyer' } });
});

test('several workers together send each mail once', async () => {
  const otherProcess = await api.another();
  for (let index = 0; index < 12; index++) await queue(`guest${index}@example.com`);
  const sent = await Promise.all([
    send(),
    send(),
    runJob(otherProcess.app.dependencies, 'send-mails'),
    runJob(otherProcess.app.dependencies, 'send-mails'),
  ]);
  expect(sent.reduce((sum, count) => sum + count)).toBe(12);
  expect(new Set(server.mails.map(({ to }) => to)).size).toBe(12);
  expect(server.mails).toHaveLength(12);
  await otherProcess.close();
});

for (const [behaviour, failure] of [
  ['hang', 'does not respond'],
  ['reject', 'rejects the recipient'],
  ['disconnect', 'closes the connection'],
] as const) {
  test(`a mail is sent again later if the server ${failure}`, async () => {
    await queue('ada@example.com');
    server.behave(behaviour);
    expect(await send()).toBe(0);
    const [queuedMail] = await readMails();
    expect(queuedMail).toMatchObject({ state: 'queued', attempts: 1 });
    expect(queuedMail?.last_error).not.toContain('secret');
    server.behave('accept');
    expect(await send()).toBe(0);
    api.clock.advance({ minutes: 2 });
    expect(await send()).toBe(1);
    expect(server.mails).toHaveLength(1);
  });
}

test('a mail is retried for about a day with growing delays; then it fails, with a log line without its content', async () => {
  server.behave('reject');
  const id = await queue('unlucky@example.com');
  const delays: number[] = [];
  for (;;) {
    await send();
    const [mail] = await readMails();
    if (mail?.state !== 'queued') break;
    const wait = Date.parse(mail.due_at) - api.clock.nowMs();
    delays.push(wait);
    api.clock.advance({ ms: wait + 1000 });
  }
  expect(delays).toEqual(delays.toSorted((a, b) => a - b));
  expect(delays.reduce((sum, delay) => sum + delay) / 3_600_000).toBeGreaterThan(20);
  expect(await readMails()).toMatchObject([{ state: 'failed', content_sealed: null }]);
  expect(api.log()).toMatch(new RegExp(`"mail":"${id}".*mail failed`));
  for (const word of ['unlucky@example.com', 'secret-link', 'p@ss', 'p%40ss']) expect(api.log()).not.toContain(word);
});

test('a mail whose link has expired is not sent', async () => {
  await queue('late@example.com', {}, 1);
  api.clock.advance({ hours: 2 });
  expect(await send()).toBe(0);
  expect(server.mails).toEqual([]);
  expect(await readMails()).toMatchObject([{ state: 'failed', last_error: 'expired' }]);
});

test('a withdrawn mail is not sent, and its content is erased', async () => {
  const id = await queue('ada@example.com');
  await inTransaction(api.app.dependencies, system, (change) => withdrawMail(change, id));
  expect(await send()).toBe(0);
  expect(await readMails()).toMatchObject([{ state: 'withdrawn', content_sealed: null }]);
});

test('a mail that a killed worker had leased is sent by another worker, with the same message id', async () => {
  const id = await queue('ada@example.com');
  // The state that a worker leaves when it is killed after sending the mail.
  await api.app.connection.pool.query('update mails set held_until = $1, attempts = 1', [
    new Date(api.clock.nowMs() + 180_000).toISOString(),
  ]);
  expect(await send()).toBe(0);
  api.clock.advance({ minutes: 4 });
  expect(await send()).toBe(1);
  expect(server.mails[0]?.messageId).toBe(`<${id}@127.0.0.1>`);
});

test('a worker sends a queued mail at once, without waiting for its schedule', async () => {
  const runner = await startWorker(api.app);
  try {
    await queue('prompt@example.com');
    await expect.poll(() => server.mails.map(({ to }) => to)).toEqual(['prompt@example.com']);
  } finally {
    await runner.stop();
  }
});

test('sent mails are removed after a month with their recipients, and queued mails are kept', async () => {
  await queue('ada@example.com');
  await send();
  await queue('waiting@example.com', {}, 24 * 60);
  api.clock.advance({ days: 31 });
  expect(await runJob(api.app.dependencies, 'prune-mails')).toBe(1);
  expect(await readMails()).toMatchObject([{ state: 'queued' }]);
});

test('the mail server and the sender are read from the environment, and errors do not repeat the password', () => {
  const readMailConfig = (environment: Record<string, string>) =>
    readConfig({ FOYER_RATE_LIMITS: 'true', ...environment }).mail;
  expect(readMailConfig({})).toBeNull();
  expect(
    readMailConfig({ FOYER_SMTP_URL: 'smtps://u:p@mail.example.org', FOYER_MAIL_FROM: 'Meet <meet@example.org>' }),
  ).toEqual({
    smtpUrl: 'smtps://u:p@mail.example.org',
    from: { name: 'Meet', address: 'meet@example.org' },
  });
  for (const wrong of [
    { FOYER_SMTP_URL: 'http://u:hidden@mail.example.org' },
    { FOYER_SMTP_URL: 'u:hidden@mail' },
    { FOYER_MAIL_FROM: 'nobody' },
    { FOYER_MAIL_FROM: 'A\nB <a@example.org>' },
  ]) {
    const outcome = (() => {
      try {
        return readMailConfig(wrong);
      } catch (error) {
        return error;
      }
    })();
    expect(outcome).toBeInstanceOf(ConfigError);
    expect(String(outcome)).not.toContain('hidden');
  }
});
