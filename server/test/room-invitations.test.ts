import ICAL from 'ical.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeRoom, refusalOf, unique } from './factories.ts';
import { type MailServer, type ReceivedMail, startMailServer } from './mail-server.ts';
import { makeBroadcastRoom } from './broadcast-rooms.ts';
import { absentMediaServer } from './fake-media-server.ts';
import { headerOf, newMails, onlyMail } from './notifications.ts';

let server: MailServer;
let api: TestApi;

beforeAll(async () => {
  server = await startMailServer();
  api = await startApi({ mail: { smtpUrl: server.url, from: null, silenceMs: 2000 } });
});
afterAll(async () => {
  await api.close();
  await server.close();
});
beforeEach(async () => {
  await newMails(api, server);
});

const startsAt = '2026-03-20T09:30:00.000000Z';

/** Returns the calendar file of a mail. */
function fileOf(mail: ReceivedMail): string {
  const encoded = /filename=invite\.ics[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(mail.raw)?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString();
}

/** Parses the calendar file of a mail with an independent library. */
function calendarOf(mail: ReceivedMail) {
  const calendar = new ICAL.Component(ICAL.parse(fileOf(mail)) as never);
  const entry = calendar.getFirstSubcomponent('vevent') as ICAL.Component;
  const event = new ICAL.Event(entry);
  return {
    method: calendar.getFirstPropertyValue('method'),
    uid: event.uid,
    sequence: event.sequence,
    stamp: entry.getFirstPropertyValue('dtstamp')?.toString(),
    starts: event.startDate.toJSDate().toISOString(),
    isUtc: event.startDate.zone === ICAL.Timezone.utcTimezone,
    ends: event.endDate.toJSDate().toISOString(),
    summary: event.summary,
    location: event.location,
    status: entry.getFirstPropertyValue('status'),
    organizer: event.organizer,
    attendees: event.attendees.map((attendee) => String(attendee.getFirstValue()).toLowerCase()),
  };
}

async function invite(roomId: string, body: Record<string, unknown> = {}) {
  return await api.admin.inviteToRoom({
    params: { room_id: roomId },
    body: { to: ['ada@example.com'], role: 'attendee', ...body },
  });
}

test('each address gets its own token in its own mail, without other addresses', async () => {
  const { room } = await makeRoom(api);
  const to = ['ada@example.com', 'grace@example.com', 'mary@example.com'];
  const { data } = await invite(room.id, { to, role: 'guest', message: 'Please be on time.' });
  expect(data.map(({ email, role, mailed, unmailed_reason }) => ({ email, role, mailed, unmailed_reason }))).toEqual(
    to.map((email) => ({ email, role: 'guest', mailed: true, unmailed_reason: null })),
  );
  expect(new Set(data.map(({ token }) => token)).size).toBe(3);
  const { data: listed } = await api.admin.listRoomTokens({
    params: { room_id: room.id },
    query: { search: 'grace@' },
  });
  expect(listed.map(({ id, email }) => ({ id, email }))).toEqual([{ id: data[1]?.id, email: 'grace@example.com' }]);
  const mails = await newMails(api, server);
  expect(mails.map((mail) => mail.to).toSorted()).toEqual(to);
  for (const mail of mails) {
    expect(mail.recipients).toEqual([mail.to]);
    expect(mail.subject).toBe(`Invitation: ${room.room_name}`);
    expect(mail.link).toBe(data.find(({ email }) => email === mail.to)?.url);
    expect(mail.text).toContain('Please be on time.');
    expect(mail.raw).not.toContain('text/calendar');
    for (const other of to.filter((email) => email !== mail.to)) expect(mail.raw).not.toContain(other);
  }
  expect((await fetch(data[0]?.url ?? '')).status).toBe(200);
});

test('the mail keeps the line breaks of the message, in plain text and in HTML', async () => {
  const { room } = await makeRoom(api);
  await invite(room.id, { message: '\r\nAgenda:\r\n1. <Budget>\n2. Party\n\n\n\nBring cake.\n' });
  const mail = await onlyMail(api, server);
  expect(mail.text).toContain('\n\nAgenda:\n1. <Budget>\n2. Party\n\nBring cake.\n\n');
  expect(mail.html).toContain('>Agenda:<br/>1. &lt;Budget><br/>2. Party<br/><br/>Bring cake.</p>');
});

test('an invitation to a live room invites to watch, not to a meeting', async () => {
  const { room } = await makeBroadcastRoom(api, { media: absentMediaServer });
  await invite(room.id);
  const mails = await newMails(api, server);
  const mail = mails.find(({ to }) => to === 'ada@example.com');
  expect(mail?.text).toContain(`invites you to watch in ${room.room_name}`);
  expect(mail?.text).not.toMatch(/meeting/i);
});

test('an address that is repeated, also in a different case, gets one token and one mail', async () => {
  const { room } = await makeRoom(api);
  const { data } = await invite(room.id, { to: ['ada@example.com', 'ADA@example.com', 'ada@example.com'] });
  expect(data.map(({ email }) => email)).toEqual(['ada@example.com']);
  expect(await newMails(api, server)).toHaveLength(1);
});

describe('the calendar entry', () => {
  test('has the time in UTC, the link, the organizer and the attendee', async () => {
    const { room } = await makeRoom(api);
    const { data } = await invite(room.id, { starts_at: startsAt, duration_minutes: 45 });
    const mail = await onlyMail(api, server);
    expect(mail.raw).toContain('text/calendar; charset=utf-8; method=REQUEST');
    expect(calendarOf(mail)).toMatchObject({
      method: 'REQUEST',
      sequence: 0,
      starts: '2026-03-20T09:30:00.000Z',
      isUtc: true,
      ends: '2026-03-20T10:15:00.000Z',
      summary: room.room_name,
      location: data[0]?.url,
      status: 'CONFIRMED',
      organizer: 'mailto:no-reply@127.0.0.1',
      attendees: ['mailto:ada@example.com'],
    });
    expect(calendarOf(mail).stamp).toMatch(/^2026-03-\d\dT[\d:]+Z$/);
    expect(mail.text).toContain('When: ');
  });

  test('lasts an hour by default, and keeps line breaks and separators of names and messages as text', async () => {
    const { room } = await makeRoom(api, { room: { room_name: 'Board; council, café\\team' } });
    await invite(room.id, { starts_at: startsAt, message: 'One\nATTENDEE:mailto:eve@example.com\n\nTwo; three' });
    const calendar = calendarOf(await onlyMail(api, server));
    expect(calendar).toMatchObject({
      ends: '2026-03-20T10:30:00.000Z',
      summary: 'Board; council, café\\team',
      attendees: ['mailto:ada@example.com'],
    });
  });

  test('gets no additional property, recipient or header from names and messages, and has complete lines of at most 75 octets', async () => {
    const injected = 'Board\r\nATTENDEE:mailto:eve@example.com\r\nBcc: eve@example.com\u2028END:VEVENT\u0007';
    const { room, customer } = await makeRoom(api, { room: { room_name: `${injected} ${'é😀'.repeat(20)}` } });
    await api.admin.updateCustomer({
      params: { customer_id: customer.id },
      body: { first_name: `Ada";CN=Eve:mailto:eve@example.com\r\nX:1`, last_name: injected },
    });
    await invite(room.id, { starts_at: startsAt, message: `${injected}\r\n${'日本語😀'.repeat(100)}` });
    const mail = await onlyMail(api, server);
    expect(mail.to).toBe('ada@example.com');
    expect(mail.raw.slice(0, mail.raw.indexOf('\r\n\r\n'))).not.toMatch(/^(?:bcc|cc|attendee):/im);
    expect(calendarOf(mail)).toMatchObject({
      attendees: ['mailto:ada@example.com'],
      organizer: 'mailto:no-reply@127.0.0.1',
      status: 'CONFIRMED',
    });
    const file = fileOf(mail);
    expect(file).toMatch(/\r\nEND:VCALENDAR\r\n$/);
    const lines = file.split('\r\n');
    expect(lines.filter((line) => Buffer.byteLength(line) > 75)).toEqual([]);
    expect(file.replaceAll('\r\n', '')).not.toMatch(/(?!\t)\p{Cc}|\ufffd/u);
    expect(lines.filter((line) => /^(?:BEGIN|END):/.test(line))).toHaveLength(4);
    expect(calendarOf(mail).summary).toContain('é😀'.repeat(20));
  });

  test('is replaced when the same address is invited for another time, and keeps token and UID', async () => {
    const { room } = await makeRoom(api);
    const { data: first } = await invite(room.id, { starts_at: startsAt });
    const before = calendarOf(await onlyMail(api, server));
    const { data: second } = await invite(room.id, { to: ['Ada@example.com'], starts_at: '2026-03-21T08:00:00Z' });
    expect(second[0]?.id).toBe(first[0]?.id);
    expect(second[0]?.url).toBe(first[0]?.url);
    const mail = await onlyMail(api, server);
    expect(mail.subject).toBe(`Updated invitation: ${room.room_name}`);
    expect(calendarOf(mail)).toMatchObject({
      method: 'REQUEST',
      uid: before.uid,
      sequence: 1,
      starts: '2026-03-21T08:00:00.000Z',
    });
  });

  test('of each mail has its own sequence and time, also when the address is invited again before the mail is composed', async () => {
    const { room } = await makeRoom(api);
    const starts = ['20', '21', '22', '23'].map((day) => `2026-03-${day}T09:30:00.000Z`);
    for (const starts_at of starts) await invite(room.id, { starts_at });
    await invite(room.id);
    const mails = (await newMails(api, server)).map(calendarOf).toSorted((one, other) => one.sequence - other.sequence);
    expect(mails.map(({ method, sequence, starts: start }) => ({ method, sequence, start }))).toEqual([
      ...starts.map((start, sequence) => ({ method: 'REQUEST', sequence, start })),
      { method: 'CANCEL', sequence: 4, start: starts[3] },
    ]);
  });

  test('is canceled when the address is invited without a time', async () => {
    const { room } = await makeRoom(api);
    await invite(room.id, { starts_at: startsAt });
    const before = calendarOf(await onlyMail(api, server));
    await invite(room.id);
    const mail = await onlyMail(api, server);
    expect(calendarOf(mail)).toMatchObject({ method: 'CANCEL', uid: before.uid, sequence: 1, status: 'CANCELLED' });
    expect(mail.subject).toBe(`Invitation: ${room.room_name}`);
  });

  test('is valid again after a cancellation, with a higher sequence', async () => {
    const { room } = await makeRoom(api);
    await invite(room.id, { starts_at: startsAt });
    const before = calendarOf(await onlyMail(api, server));
    await invite(room.id);
    expect(calendarOf(await onlyMail(api, server))).toMatchObject({ method: 'CANCEL', sequence: 1 });
    await invite(room.id, { starts_at: startsAt });
    expect(calendarOf(await onlyMail(api, server))).toMatchObject({ method: 'REQUEST', uid: before.uid, sequence: 2 });
  });

  test('is canceled when the customer is deleted with its rooms', async () => {
    const { room, customer } = await makeRoom(api);
    await invite(room.id, { starts_at: startsAt });
    const before = calendarOf(await onlyMail(api, server));
    const params = { customer_id: customer.id };
    await api.admin.updateCustomer({ params, body: { status: 'terminated' } });
    await api.admin.deleteCustomer({ params });
    const mail = await onlyMail(api, server);
    expect(calendarOf(mail)).toMatchObject({ method: 'CANCEL', uid: before.uid, sequence: 1 });
  });

  test('is canceled when the token or the whole room is deleted', async () => {
    for (const isRoomDeletion of [false, true]) {
      const { room } = await makeRoom(api);
      const { data } = await invite(room.id, { starts_at: startsAt });
      const before = calendarOf(await onlyMail(api, server));
      if (isRoomDeletion) await api.admin.deleteRoom({ params: { room_id: room.id } });
      else await api.admin.deleteRoomToken({ params: { room_id: room.id, token_id: data[0]?.id ?? '' } });
      const mail = await onlyMail(api, server);
      expect(mail).toMatchObject({ to: 'ada@example.com', subject: `Canceled: ${room.room_name}` });
      expect(mail.raw).toContain('method=CANCEL');
      expect(calendarOf(mail)).toMatchObject({ method: 'CANCEL', uid: before.uid, sequence: 1, status: 'CANCELLED' });
    }
  });

  test('of the past is not canceled', async () => {
    const { room } = await makeRoom(api);
    const soon = new Date(api.clock.nowMs() + 60_000).toISOString();
    const { data } = await invite(room.id, { starts_at: soon });
    await newMails(api, server);
    api.clock.advance({ hours: 2 });
    await api.admin.deleteRoomToken({ params: { room_id: room.id, token_id: data[0]?.id ?? '' } });
    expect(await newMails(api, server)).toEqual([]);
  });
});

test('invitations are in the language of the user with the address, else of the customer', async () => {
  const { room, customer } = await makeRoom(api);
  await api.admin.updateCustomer({ params: { customer_id: customer.id }, body: { locale: 'fr' } });
  const email = `${unique('user')}@example.com`;
  await api.admin.createUser({ body: { email, first_name: 'Ada', last_name: 'Byron', locale: 'de' } });
  await invite(room.id, { to: [email, 'stranger@example.com'] });
  const mails = await newMails(api, server);
  expect(mails.find(({ to }) => to === email)?.subject).toBe(`Einladung: ${room.room_name}`);
  expect(mails.find(({ to }) => to === 'stranger@example.com')?.subject).toBe(`Invitation : ${room.room_name}`);
});

test('an address that unsubscribed gets no mail, but its token is created', async () => {
  const { room } = await makeRoom(api);
  const to = [`${unique('guest')}@example.com`];
  await invite(room.id, { to });
  const header = headerOf(await onlyMail(api, server), 'list-unsubscribe') ?? '';
  expect(header).not.toContain('example.com');
  expect((await fetch(header.slice(1, -1), { method: 'POST' })).status).toBe(200);
  const other = await makeRoom(api);
  const { data } = await invite(other.room.id, { to });
  expect(data).toMatchObject([{ email: to[0], mailed: false, unmailed_reason: 'recipient-opted-out' }]);
  expect(await newMails(api, server)).toEqual([]);
});

test('no mail is sent while invitations to rooms are disabled on the platform', async () => {
  const { room } = await makeRoom(api);
  await api.admin.updateSettings({ body: { notifications: { room_invitation: false } } });
  expect((await invite(room.id)).data).toMatchObject([{ mailed: false, unmailed_reason: 'switched-off' }]);
  expect(await newMails(api, server)).toEqual([]);
  await api.admin.updateSettings({ body: { notifications: { room_invitation: true } } });
});

describe('an invitation is rejected', () => {
  const addresses = (count: number) => Array.from({ length: count }, (_, index) => `guest${index}@example.com`);

  test.each([
    ['without addresses', { to: [] }, ['to']],
    ['with more than 100 addresses', { to: addresses(101) }, ['to']],
    [
      'with invalid addresses, with an error for each',
      { to: ['ada@example.com', 'ada', 'a\r\nBcc: b@c.de'] },
      ['to.1', 'to.2'],
    ],
    ['with an unknown role', { role: 'owner' }, ['role']],
    ['for a time in the past', { starts_at: '2026-03-01T00:00:00Z' }, ['starts_at']],
    ['for a meeting that ends after the year 9999', { starts_at: '9999-12-31T23:00:00Z' }, ['starts_at']],
    ['for a text that is not a time', { starts_at: 'tomorrow' }, ['starts_at']],
    ['with a duration of 0', { duration_minutes: 0 }, ['duration_minutes']],
    ['with a message that is too long', { message: 'x'.repeat(2001) }, ['message']],
  ])('%s', async (_case, body, members) => {
    const { room } = await makeRoom(api);
    const refusal = await refusalOf(invite(room.id, body));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, members]);
    expect((await api.admin.listRoomTokens({ params: { room_id: room.id } })).data).toEqual([]);
    expect(await newMails(api, server)).toEqual([]);
  });

  test('of a moderator by a user without the right to moderate', async () => {
    const { room, customer } = await makeRoom(api);
    const email = `${unique('helper')}@example.com`;
    const password = 'difference engine no. 2';
    const { data: user } = await api.admin.createUser({
      body: { email, first_name: 'Helen', last_name: 'Helper', password },
    });
    await api.admin.createRoomUser({
      params: { room_id: room.id },
      body: { user_id: user.id, permissions: ['read-room', 'manage-tokens'] },
    });
    const helper = api.clientWith((await api.anyone.loginUser({ body: { username: email, password } })).access_token);
    const params = { room_id: room.id };
    const inviteAsHelper = (role: 'moderator' | 'guest', to = ['x@example.com']) =>
      helper.inviteToRoom({ params, body: { to, role } });
    expect((await inviteAsHelper('guest')).data).toHaveLength(1);
    expect(await refusalOf(inviteAsHelper('moderator'))).toMatchObject({ status: 403, code: 'privilege-escalation' });
    await invite(room.id, { to: [customer.email], role: 'moderator' });
    expect(await refusalOf(inviteAsHelper('guest', [customer.email]))).toMatchObject({ code: 'privilege-escalation' });
  });
});
