import type { Sandbox } from '@foyer/sandbox';
import { SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { recordingsToWatch } from '../src/modules/recordings/index.ts';
import { callbackAddress } from '../src/modules/meetings/index.ts';
import { encryptedColumns } from '../src/modules.ts';
import { startApi, type TestApi } from './api.ts';
import { refusalOf } from './factories.ts';
import { startTestSandbox, type RecordedRoom, recordedRooms, type RecordedRooms } from './recorded-rooms.ts';

let api: TestApi;
let sandbox: Sandbox;
let rooms: RecordedRooms;

beforeAll(async () => {
  api = await startApi();
  sandbox = await startTestSandbox(api, { recordingFormats: ['presentation', 'video'] });
  rooms = await recordedRooms(api, sandbox);
});

afterEach(() => {
  sandbox.control.clearFaults();
});

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

async function createTestRecording(
  options: Parameters<RecordedRooms['createTestRoom']>[0] = {},
  of = rooms,
  on = sandbox,
) {
  const room = await of.createTestRoom(options);
  const recordID = on.control.plantRecording({ meetingID: room.uuid, name: 'Lecture' });
  await of.syncNow(room);
  const [recording] = (await api.admin.listRoomRecordings({ params: room.params })).data;
  if (!recording) throw new Error('the recording was not found');
  return { room, recordID, recording, params: { recording_id: recording.id } };
}

async function linkOf({ params }: { params: { recording_id: string } }, type = 'video'): Promise<string> {
  const { data } = await api.admin.readRecording({ params });
  return data.playback.find((playback) => playback.type === type)?.url ?? '';
}

async function open(url: string, init: RequestInit = {}) {
  const answer = await fetch(url, { redirect: 'manual', ...init });
  return { answer, status: answer.status, text: await answer.text(), location: answer.headers.get('location') };
}

describe('a playback link', () => {
  test('expires exactly at the chosen time, and at once with the recording', async () => {
    const created = await createTestRecording();
    const link = async (body: { type: string; minutes?: number }) =>
      (await api.admin.createRecordingLink({ params: created.params, body })).data;
    const short = await link({ type: 'video', minutes: 7 });
    expect(Date.parse(short.expires_at)).toBe(Math.floor(api.clock.nowMs() / 1000) * 1000 + 7 * 60_000);
    expect(short).toMatchObject({ object: 'RecordingLink', recording_id: created.recording.id, type: 'video' });
    expect((await open(short.url)).status).toBe(302);
    const longest = await link({ type: 'video' });
    expect(Date.parse(longest.expires_at) - Date.parse(short.expires_at)).toBe((240 - 7) * 60_000);
    api.clock.set(short.expires_at);
    expect([(await open(short.url)).status, (await open(longest.url)).status]).toEqual([410, 302]);
    await api.admin.updateRecording({ params: created.params, body: { published: false } });
    expect((await open(longest.url)).status).not.toBe(302);
    await expect(link({ type: 'video' })).rejects.toMatchObject({ status: 422, errors: { type: expect.any(Array) } });
  });

  test('cannot last longer than the setting allows, and needs an existing format', async () => {
    const created = await createTestRecording();
    const refused = async (body: { type: string; minutes?: number }) =>
      Object.keys((await refusalOf(api.admin.createRecordingLink({ params: created.params, body }))).errors);
    expect(await refused({ type: 'podcast', minutes: 241 })).toEqual(['type', 'minutes']);
    expect(await refused({ type: 'video', minutes: 0 })).toEqual(['minutes']);
    expect(await refused({ type: 'video', minutes: 10_081 })).toEqual(['minutes']);
  });
});

describe('a link', () => {
  test('redirects its holder to the provider, and the answer is not cached', async () => {
    const created = await createTestRecording();
    const { answer, status, location } = await open(await linkOf(created));
    expect([status, location]).toEqual([302, expect.stringContaining(`${sandbox.url}/playback/video/`)]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
    });
    expect((await fetch(location ?? '')).status).toBe(200);
  });

  test('hides the address of the provider, which is in no answer, log or table', async () => {
    const created = await createTestRecording();
    const { data } = await api.admin.readRecording({ params: created.params });
    await open(data.playback[0]?.url ?? '');
    const { rows } = await api.app.connection.pool.query<{ all: string }>(
      `select (select json_agg(r) from recordings r)::text || (select json_agg(e) from events e)::text
        || (select json_agg(a) from audit_entries a)::text as all`,
    );
    for (const text of [JSON.stringify(data), rows[0]?.all ?? '', api.log()]) {
      expect(text.length).toBeGreaterThan(100);
      expect(text).not.toContain(`${sandbox.url}/playback`);
    }
    expect(api.log()).not.toContain('signature=');
    expect(encryptedColumns.map(({ name }) => name)).toContain('recordings.playback_sealed');
  });

  test('counts views without changing the recording', async () => {
    const created = await createTestRecording();
    const url = await linkOf(created);
    await Promise.all([open(url), open(url), open(url), open(url, { method: 'HEAD' })]);
    const { data } = await api.admin.readRecording({ params: created.params });
    expect(data).toMatchObject({ plays: 3, updated_at: created.recording.updated_at });
    expect(data.last_played_at).not.toBeNull();
  });

  test('stays the same for a while, and so does the entity tag; a reader that has an older one gets it anew', async () => {
    const created = await createTestRecording();
    const { access_token: token } = await api.anyone.loginAdmin({
      body: { username: 'root', password: 'a long enough password' },
    });
    const ask = (tag = '') =>
      fetch(`${api.url}/api/v1/recordings/${created.recording.id}`, {
        headers: { authorization: `Bearer ${token}`, 'if-none-match': tag },
      });
    await api.admin.updateSettings({ body: { playback_link_minutes: 40 } });
    // The first second of one of the four periods.
    const part = 600_000;
    api.clock.advance({ ms: part - (api.clock.nowMs() % part) });
    const tag = (await ask()).headers.get('etag') ?? '';
    api.clock.advance({ minutes: 9 });
    expect((await ask(tag)).status).toBe(304);
    api.clock.advance({ minutes: 2 });
    expect((await ask(tag)).status).toBe(200);
    await api.admin.updateSettings({ body: { playback_link_minutes: 240 } });
  });

  test('expires with a message', async () => {
    const created = await createTestRecording();
    const url = await linkOf(created);
    await api.admin.updateCustomer({
      params: { customer_id: created.room.customer.id },
      body: { customer_settings: { brand_name: 'Aurora School' } },
    });
    api.clock.advance({ minutes: 241 });
    const { status, text, answer } = await open(url, { headers: { 'accept-language': 'de' } });
    expect(status).toBe(410);
    expect(text).toContain('abgelaufen');
    expect(text).toContain('Aurora School');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect((await open(await linkOf(created))).status).toBe(302);
  });

  test('is rejected after any change to it', async () => {
    const [created, other] = [await createTestRecording(), await createTestRecording()];
    const url = await linkOf(created);
    const [path = '', query = ''] = url.split('?');
    const tampered = [
      path,
      url.replace('/video?', '/presentation?'),
      url.replace(created.recording.id, other.recording.id),
      url.replace(/expires=\d+/, (match) => `expires=${Number(match.slice(8)) + 3600}`),
      url.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A')),
      `${path}?${query}&signature=x`,
      `${path.replace('/video', '/text-tracks/subtitles/en')}?${query}`,
      url.replace(created.recording.id, 'rec_nothing'),
      url.replace('/video?', '/..%2f..%2fvideo?'),
    ];
    for (const link of tampered) {
      const { status, location, text } = await open(link);
      expect([link, status, location]).toEqual([link, 404, null]);
      expect(text).not.toContain(sandbox.url);
    }
    expect((await api.admin.readRecording({ params: other.params })).data.plays).toBe(0);
  });

  test('to an unpublished or deleted recording shows that it is no longer available', async () => {
    const created = await createTestRecording();
    const url = await linkOf(created);
    await api.admin.updateRecording({ params: created.params, body: { published: false } });
    expect(await open(url)).toMatchObject({ status: 404, location: null });
    await api.admin.updateRecording({ params: created.params, body: { published: true } });
    await rooms.syncNow(created.room);
    expect((await open(url)).status).toBe(302);
    await api.admin.deleteRecording({ params: created.params });
    const { status, text } = await open(url);
    expect(status).toBe(404);
    expect(text).toContain('This recording is not available');
  });

  test('does not work while the subscription or the customer is out of use', async () => {
    const created = await createTestRecording();
    const url = await linkOf(created);
    const subscription = { subscription_id: created.room.subscription.id };
    await api.admin.updateSubscription({ params: subscription, body: { status: 'suspended' } });
    expect((await open(url)).status).toBe(403);
    await api.admin.updateSubscription({ params: subscription, body: { status: 'active' } });
    expect((await open(url)).status).toBe(302);
    await api.admin.updateCustomer({
      params: { customer_id: created.room.customer.id },
      body: { status: 'inactive' },
    });
    expect((await open(url)).status).toBe(403);
  });

  test('works on every process of the platform', async () => {
    const created = await createTestRecording();
    const url = new URL(await linkOf(created));
    const other = await api.another();
    expect((await open(`${other.url}${url.pathname}${url.search}`)).status).toBe(302);
    await other.close();
  });
});

describe('a protected recording', () => {
  test('requests a new address for every viewing, and stores none', async () => {
    const created = await createTestRecording();
    await api.app.connection.pool.query(
      'update recordings set is_protected = true, playback_sealed = null, playback_hash = null where id = $1',
      [created.recording.uuid],
    );
    const url = await linkOf(created);
    sandbox.control.clearCalls();
    expect((await open(url)).location).toContain('/playback/video/');
    expect(sandbox.control.calls().map(({ call }) => call)).toEqual(['getRecordings']);
    sandbox.control.injectFault({ kind: 'http-error', status: 503, call: 'getRecordings', times: null });
    const { status, answer } = await open(url);
    expect([status, answer.headers.get('retry-after')]).toEqual([503, '60']);
    sandbox.control.clearFaults();
    sandbox.control.loseRecording(created.recordID);
    expect((await open(url)).status).toBe(404);
  });
});

describe('text tracks', () => {
  async function putTrack(recordID: string): Promise<void> {
    const { createHash } = await import('node:crypto');
    const query = new URLSearchParams({ recordID, kind: 'subtitles', lang: 'pt-BR', label: 'Português' }).toString();
    const checksum = createHash('sha256').update(`putRecordingTextTrack${query}${sandbox.secret}`).digest('hex');
    const body = new FormData();
    body.set('file', new Blob(['WEBVTT\n\n00:00.000 --> 00:01.000\nOlá\n'], { type: 'text/vtt' }), 'a.vtt');
    await fetch(`${sandbox.apiUrl}/putRecordingTextTrack?${query}&checksum=${checksum}`, { method: 'POST', body });
    sandbox.control.advanceClock(60_000);
  }

  test('are read from the provider, behind links that end', async () => {
    const created = await createTestRecording();
    expect((await api.admin.readRecordingTextTracks({ params: created.params })).data.text_tracks).toEqual([]);
    await putTrack(created.recordID);
    const { data } = await api.admin.readRecordingTextTracks({ params: created.params });
    expect(data).toMatchObject({
      object: 'RecordingTextTracks',
      recording_id: created.recording.id,
      text_tracks: [{ kind: 'subtitles', language: 'pt-BR', label: 'Português' }],
    });
    expect(JSON.stringify(data)).not.toContain(sandbox.url);
    const { status, location } = await open(data.text_tracks[0]?.url ?? '');
    expect([status, location]).toEqual([302, expect.stringContaining(sandbox.url)]);
  });

  test('are empty on a provider without text tracks, and an error if it does not respond', async () => {
    const balancer = await startTestSandbox(api, { scalelite: {} });
    const scalelite = await recordedRooms(api, balancer, 'scalelite');
    const created = await createTestRecording({}, scalelite, balancer);
    expect((await api.admin.readRecordingTextTracks({ params: created.params })).data.text_tracks).toEqual([]);
    await balancer.close();
    const other = await createTestRecording();
    sandbox.control.injectFault({ kind: 'http-error', status: 503, call: 'getRecordingTextTracks', times: null });
    await expect(api.admin.readRecordingTextTracks({ params: other.params })).rejects.toMatchObject({
      status: 503,
      code: 'provider-unavailable',
    });
  });
});

test.each([
  ['nobody', []],
  ['moderators', ['moderator']],
  [undefined, ['moderator']],
  ['participants', ['moderator', 'attendee', 'guest']],
  ['everyone', ['moderator', 'attendee', 'guest', null]],
] as const)(
  'with recordings_for %s the page of the room shows recordings to those who may watch',
  async (audience, who) => {
    const room_settings = audience === undefined ? {} : { recordings_for: audience };
    const { room } = await createTestRecording({ room: { room_settings } });
    const shown = async (role: 'moderator' | 'attendee' | 'guest' | null) =>
      (await recordingsToWatch(api.app.dependencies, { id: room.uuid, room_settings }, role)).length;
    for (const role of ['moderator', 'attendee', 'guest', null] as const)
      expect([role, await shown(role)]).toEqual([role, (who as readonly unknown[]).includes(role) ? 1 : 0]);
  },
);

test('the page of a room gets names, times and links of what is published, newest first', async () => {
  const { room, recording } = await createTestRecording();
  const hidden = sandbox.control.plantRecording({
    meetingID: room.uuid,
    state: 'unpublished',
    startTime: 1_700_000_000_000,
  });
  await rooms.syncNow(room);
  expect(hidden).not.toBe('');
  const watchable = await recordingsToWatch(api.app.dependencies, { id: room.uuid, room_settings: {} }, 'moderator');
  expect(watchable).toEqual([
    {
      name: 'Lecture',
      startedAt: recording.started_at,
      playback: [
        { type: 'presentation', length: 60, url: expect.stringContaining('/playback/presentation?') },
        { type: 'video', length: 60, url: expect.stringContaining('/playback/video?') },
      ],
    },
  ]);
  expect((await open(watchable[0]?.playback[1]?.url ?? '')).status).toBe(302);
});

test('links from a room page stop working when such visitors may no longer watch; other links keep working', async () => {
  const { room, params, recording } = await createTestRecording();
  const setFor = async (audience: 'everyone' | 'participants' | 'moderators' | 'nobody') =>
    await api.admin.updateRoom({ params: room.params, body: { room_settings: { recordings_for: audience } } });
  const linkFor = async (role: 'moderator' | 'guest' | null) => {
    const room_settings = { recordings_for: 'everyone' };
    const [recording] = await recordingsToWatch(api.app.dependencies, { id: room.uuid, room_settings }, role);
    return recording?.playback[1]?.url ?? '';
  };
  const links = [await linkFor('moderator'), await linkFor('guest'), await linkFor(null), await linkOf({ params })];
  const statuses = async () => await Promise.all(links.map(async (link) => (await open(link)).status));
  await setFor('everyone');
  expect(await statuses()).toEqual([302, 302, 302, 302]);
  await setFor('participants');
  expect(await statuses()).toEqual([302, 302, 404, 302]);
  await setFor('moderators');
  expect(await statuses()).toEqual([302, 404, 404, 302]);
  await setFor('nobody');
  expect(await statuses()).toEqual([404, 404, 404, 302]);
  await setFor('everyone');
  expect(await statuses()).toEqual([302, 302, 302, 302]);
  const [moderators = '', guests = '', everybodys = ''] = links;
  for (const forged of [
    guests.replace('as=guest', 'as=moderator'),
    guests.replace('as=guest&', ''),
    guests.replace('?as=guest&', '?as=guest&as=moderator&'),
    guests.replace('as=guest', 'as=Guest'),
    moderators.replace('as=moderator', 'as[]=moderator'),
    everybodys.replace(recording.id, (await createTestRecording()).recording.id),
  ])
    expect([forged, (await open(forged)).status]).toEqual([forged, 404]);
});

test('an expired recording cannot be watched and is not shown, even before it is deleted', async () => {
  const { room, recording, params } = await createTestRecording({ features: { record_expiration: '30' } });
  const ends = Date.parse(recording.expires_at ?? '');
  const days = Math.floor((ends - api.clock.nowMs()) / 86_400_000);
  api.clock.advance({ days, ms: ends - api.clock.nowMs() - days * 86_400_000 - 1000 });
  const link = await linkOf({ params });
  const shown = async () =>
    (await recordingsToWatch(api.app.dependencies, { id: room.uuid, room_settings: {} }, 'moderator')).length;
  expect([(await open(link)).status, await shown()]).toEqual([302, 1]);
  api.clock.advance({ seconds: 1 });
  expect([(await open(link)).status, await shown()]).toEqual([404, 0]);
});

describe('the callback of a provider', () => {
  async function recordedMeeting() {
    const room = await rooms.createTestRoom();
    await rooms.record(room);
    const { rows } = await api.app.connection.pool.query<{ id: string }>('select id from meetings where room_id = $1', [
      room.uuid,
    ]);
    const [listedRecording] = sandbox.control.state().recordings.filter(({ meetingID }) => meetingID === room.uuid);
    const id = rows[0]?.id ?? '';
    return {
      room,
      id,
      url: callbackAddress(api.app.dependencies, 'recording-ready', id),
      claims: { meeting_id: room.uuid, record_id: listedRecording?.recordID ?? '' },
    };
  }

  async function call(url: string, claims: Record<string, unknown>, { secret = sandbox.secret, alg = 'HS256' } = {}) {
    const signed = await new SignJWT(claims).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));
    return await post(url, new URLSearchParams({ signed_parameters: signed }));
  }

  const post = async (url: string, body: URLSearchParams) => (await fetch(url, { method: 'POST', body })).status;

  async function listed({ params }: RecordedRoom) {
    return (await api.admin.listRoomRecordings({ params })).data;
  }

  test('stores a recording at once, and a repeated call changes nothing', async () => {
    const { room, url, claims } = await recordedMeeting();
    expect(await listed(room)).toEqual([]);
    expect(await call(url, claims)).toBe(200);
    const [recording] = await listed(room);
    expect(recording).toMatchObject({ state: 'published' });
    sandbox.control.clearCalls();
    expect(await call(url, claims)).toBe(200);
    expect(sandbox.control.calls()).toEqual([]);
    api.clock.advance({ minutes: 1 });
    expect(await call(url, claims)).toBe(200);
    expect(await listed(room)).toMatchObject([{ id: recording?.id, updated_at: recording?.updated_at }]);
  });

  test.each(['HS384', 'HS512'])('is accepted if it is signed with %s, as by Scalelite', async (alg) => {
    const { room, url, claims } = await recordedMeeting();
    expect(await call(url, claims, { alg })).toBe(200);
    expect(await listed(room)).toMatchObject([{ state: 'published' }]);
    expect(await call(url, claims, { alg, secret: 'guessed' })).toBe(401);
  });

  test('is sent by a provider for a meeting that can be recorded', async () => {
    const room = await rooms.createTestRoom();
    sandbox.control.clearDisturbances();
    await rooms.record(room, { tells: true });
    await sandbox.control.callbacksSent();
    expect(await listed(room)).toMatchObject([{ state: 'published' }]);
  });

  test('is rejected if the provider did not sign it, or signed it for another meeting', async () => {
    const { room, url, claims } = await recordedMeeting();
    const other = await recordedMeeting();
    sandbox.control.clearCalls();
    expect(await call(url, claims, { secret: 'guessed' })).toBe(401);
    expect(await call(url, other.claims)).toBe(401);
    expect(await call(url, { record_id: claims.record_id })).toBe(401);
    expect(await post(url, new URLSearchParams({}))).toBe(401);
    expect(await post(url, new URLSearchParams({ signed_parameters: 'x.y.z' }))).toBe(401);
    const none = `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify(claims))}.`.replaceAll('=', '');
    expect(await post(url, new URLSearchParams({ signed_parameters: none }))).toBe(401);
    expect(await call(url.slice(0, -1), claims)).toBe(404);
    expect(
      await call(
        url.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A')),
        claims,
      ),
    ).toBe(404);
    expect(sandbox.control.calls()).toEqual([]);
    expect(await listed(room)).toEqual([]);
  });

  test('for a deleted room is a 410, and a provider that does not respond is not an error', async () => {
    const deletedRoom = await recordedMeeting();
    await api.admin.deleteRoom({ params: deletedRoom.room.params });
    expect(await call(deletedRoom.url, deletedRoom.claims)).toBe(410);
    const { room, url, claims } = await recordedMeeting();
    sandbox.control.injectFault({ kind: 'html-page', call: 'getRecordings', times: 1 });
    expect(await call(url, claims)).toBe(200);
    expect(await listed(room)).toEqual([]);
    api.clock.advance({ minutes: 2 });
    await rooms.sync();
    expect(await listed(room)).toHaveLength(1);
  });
});
