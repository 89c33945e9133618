import { createHash } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import type { SignedCall } from '../meet.ts';
import { readAttendance, readEvents } from './callbacks.ts';

const secret = 'a secret';
const url = 'https://foyer.example/callbacks/x';
const nowMs = Date.UTC(2026, 2, 10, 12);

function call(body: string, changes: Partial<SignedCall> = {}): SignedCall {
  return { url, body: Buffer.from(body), nowMs, checksum: undefined, authorization: undefined, ...changes };
}

function hookCall(events: unknown): SignedCall {
  const body = new URLSearchParams({ domain: 'd', event: JSON.stringify(events), timestamp: '1' }).toString();
  return call(body, { checksum: createHash('sha1').update(`${url}${body}${secret}`).digest('hex') });
}

const event = (id: string, attributes: object = {}, ts: unknown = nowMs) => ({
  data: {
    type: 'event',
    id,
    attributes: { meeting: { 'internal-meeting-id': 'i-1', 'external-meeting-id': 'm-1' }, ...attributes },
    event: { ts },
  },
});
const user = { user: { 'external-user-id': 'u-1', 'internal-user-id': 'w_1', name: 'Anna', role: 'MODERATOR' } };
const reference = { meetingId: 'm-1', internalId: 'i-1', atMs: nowMs };

test('a call has a list of events or a single event; only joins, leaves and ends of meetings are read', () => {
  const joined = { ...reference, kind: 'joined', userId: 'u-1', fullName: 'Anna', isModerator: true };
  expect(readEvents(secret, hookCall([event('user-joined', user)]))).toEqual([joined]);
  expect(readEvents(secret, hookCall(event('user-left', user)))).toEqual([{ ...joined, kind: 'left' }]);
  expect(readEvents(secret, hookCall([event('chat-group-message-sent', user), event('meeting-ended')]))).toEqual([
    { ...reference, kind: 'meeting-ended' },
  ]);
});

test.each([
  null,
  [],
  'text',
  [null],
  [{}],
  event('user-joined'),
  event('user-joined', { user: { 'external-user-id': 5 } }),
  event('user-joined', user, 'soon'),
  event('user-joined', user, 1e300),
  event('__proto__', user),
  { data: { ...event('meeting-ended').data, attributes: {} } },
])('a signed but meaningless call has no events (%#)', (events) => {
  expect(readEvents(secret, hookCall(events))).toEqual([]);
});

test('a call without the right checksum of its bytes, address and secret is ignored', () => {
  const right = hookCall(event('meeting-ended'));
  expect(readEvents(secret, { ...right, checksum: right.checksum?.toUpperCase() })).toHaveLength(1);
  for (const wrong of [
    { ...right, body: Buffer.concat([right.body, Buffer.from(' ')]) },
    { ...right, url: `${url}/` },
    { ...right, checksum: undefined },
    { ...right, checksum: '' },
    { ...right, checksum: 'f'.repeat(40) },
    { ...right, checksum: right.checksum?.slice(0, 39) },
    { ...right, authorization: 'Bearer another' },
  ]) {
    expect(readEvents(secret, wrong)).toBeNull();
  }
  expect(readEvents('another', right)).toBeNull();
});

async function record(data: unknown, algorithm = 'HS512'): Promise<SignedCall> {
  const token = await new SignJWT({ exp: nowMs / 1000 + 86_400 })
    .setProtectedHeader({ alg: algorithm })
    .sign(new TextEncoder().encode(secret));
  const body = JSON.stringify({ meeting_id: 'm-1', internal_meeting_id: 'i-1', data });
  return call(body, { authorization: `Bearer ${token}` });
}

test.each([
  ['2026-03-10 12:00:00 +0000', nowMs],
  ['2026-03-10 13:00:00 +0100', nowMs],
  ['2026-03-10T12:00:00.000+00:00', nowMs],
  ['2026-03-10T12:00:00Z', nowMs],
  ['2026-03-10 12:00:00 UTC', nowMs],
  [nowMs, nowMs],
  ['soon', null],
  [-5, null],
  [null, null],
])('an instant of a record may be written as %s', async (finish, expected) => {
  const attendees = [{ ext_user_id: 'u-1', name: 'Anna', moderator: false, joins: [finish], leaves: 'none' }];
  expect(await readAttendance(secret, await record({ finish, attendees }))).toEqual({
    meetingId: 'm-1',
    internalId: 'i-1',
    finishedAtMs: expected,
    attendees: [
      {
        userId: 'u-1',
        fullName: 'Anna',
        isModerator: false,
        joinedAtMs: expected === null ? [] : [expected],
        leftAtMs: [],
      },
    ],
  });
});

test.each([null, [], {}, { attendees: 'all' }, { attendees: Array.from({ length: 20_001 }, () => ({})) }])(
  'a signed call that is not a record is ignored (%#)',
  async (data) => {
    expect(await readAttendance(secret, await record(data))).toBeNull();
  },
);

test('a record that is signed with another algorithm or secret is ignored', async () => {
  const good = { attendees: [] };
  expect(await readAttendance(secret, await record(good))).not.toBeNull();
  expect(await readAttendance(secret, await record(good, 'HS256'))).toBeNull();
  expect(await readAttendance('another', await record(good))).toBeNull();
  expect(await readAttendance(secret, call('{}'))).toBeNull();
  expect(await readAttendance(secret, call('{}', { authorization: 'Basic abc' }))).toBeNull();
});

test('a record of 1,000 attendees is read, one of more than 100,000 values is rejected without being parsed', async () => {
  const attendees = Array.from({ length: 1000 }, (_, index) => ({
    ext_user_id: `u-${index}`,
    name: 'Anna',
    moderator: false,
    joins: ['2026-03-10T12:00:00Z'],
    leaves: ['2026-03-10T12:30:00Z'],
    engagement: { chats: 0, talks: 0, raisehand: 0, emojis: 0, poll_votes: 0, talk_time: 0 },
  }));
  expect((await readAttendance(secret, await record({ attendees })))?.attendees).toHaveLength(1000);
  const signed = await record({ attendees, padding: Array<number>(100_000).fill(1) });
  expect(await readAttendance(secret, signed)).toBeNull();
});
