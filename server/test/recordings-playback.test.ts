import type { Sandbox } from '@foyer/sandbox';
import { SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { recordingsToWatch } from '../src/modules/recordings/index.ts';
import { callbackAddress } from '../src/modules/meetings/index.ts';
import { encryptedColumns } from '../src/modules.ts';
import { startApi, type TestApi } from './api.ts';
import { refusalOf } from './factories.ts';
import { startTestSandbox, type RecordedRoom, createRecordedRooms, type RecordedRooms } from './recorded-rooms.ts';

let api: TestApi;
let sandbox: Sandbox;
let rooms: RecordedRooms;

beforeAll(async () => {
  api = await startApi();
  sandbox = await startTestSandbox(api, { recordingFormats: ['presentation', 'video'] });
  rooms = await createRecordedRooms(api, sandbox);
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
  testRooms = rooms,
  testSandbox = sandbox,
) {
  const room = await testRooms.createTestRoom(options);
  const recordID = testSandbox.control.plantRecording({ meetingID: room.uuid, name: 'Lecture' });
  await testRooms.syncNow(room);
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
  test('expires exactly at the chosen time, and as soon as the recording is unpublished', async () => {
    const created = await createTestRecording();
    const createLink = async (body: { type: string; minutes?: number }) =>
      (await api.admin.createRecordingLink({ params: created.params, body })).data;
    const short = await createLink({ type: 'video', minutes: 7 });
    expect(Date.parse(short.expires_at)).toBe(Math.floor(api.clock.nowMs() / 1000) * 1000 + 7 * 60_000);
    expect(short).toMatchObject({ object: 'RecordingLink', recording_id: created.recording.id, type: 'video' });
    expect((await open(short.url)).status).toBe(302);
    const longest = await createLink({ type: 'video' });
    expect(Date.parse(longest.expires_at) - Date.parse(short.expires_at)).toBe((240 - 7) * 60_000);
    api.clock.set(short.expires_at);
    expect([(await open(short.url)).status, (await open(longest.url)).status]).toEqual([410, 302]);
    await api.admin.updateRecording({ params: created.params, body: { published: false } });
    expect((await open(longest.url)).status).not.toBe(302);
    await expect(createLink({ type: 'video' })).rejects.toMatchObject({
      status: 422,
      errors: { type: expect.any(Array) },
    });
  });

  test('cannot last longer than the setting allows, and needs an existing format', async () => {
    const created = await createTestRecording();
    const rejectedFields = async (body: { type: string; minutes?: number }) =>
      Object.keys((await refusalOf(api.admin.createRecordingLink({ params: created.params, body }))).errors);
    expect(await rejectedFields({ type: 'podcast', minutes: 241 })).toEqual(['type', 'minutes']);
    expect(await rejectedFields({ type: 'video', minutes: 0 })).toEqual(['minutes']);
    expect(await rejectedFields({ type: 'video', minutes: 10_081 })).toEqual(['minutes']);
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

  test('stays the same for a quarter of its lifetime, and so does the entity tag; then a conditional read returns a new link', async () => {
    const created = await createTestRecording();
    const { access_token: token } = await api.anyone.loginAdmin({
      body: { username: 'root', password: 'a long enough password' },
    });
    const readIfChanged = (tag = '') =>
      fetch(`${api.url}/api/v1/recordings/${created.recording.id}`, {
        headers: { authorization: `Bearer ${token}`, 'if-none-match': tag },
      });
    await api.admin.updateSettings({ body: { playback_link_minutes: 40 } });
    // The start of a quarter.
    const quarterMs = 600_000;
    api.clock.advance({ ms: quarterMs - (api.clock.nowMs() % quarterMs) });
    const tag = (await readIfChanged()).headers.get('etag') ?? '';
    api.clock.advance({ minutes: 9 });
    expect((await readIfChanged(tag)).status).toBe(304);
    api.clock.advance({ minutes: 2 });
    expect((await readIfChanged(tag)).status).toBe(200);
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

  test('is rejected if any part of it was changed', async () => {
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

  test('does not work while the subscription is suspended or the customer is inactive', async () => {
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

  test('are read from the provider, and their links redirect to it', async () => {
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
    const scalelite = await createRecordedRooms(api, balancer, 'scalelite');
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
  'with recordings_for %s, the page of a room shows recordings only to the roles that may watch them',
  async (audience, roles) => {
    const room_settings = audience === undefined ? {} : { recordings_for: audience };
    const { room } = await createTestRecording({ room: { room_settings } });
    const countShown = async (role: 'moderator' | 'attendee' | 'guest' | null) =>
      (await recordingsToWatch(api.app.dependencies, { id: room.uuid, room_settings }, role)).length;
    for (const role of ['moderator', 'attendee', 'guest', null] as const)
      expect([role, await countShown(role)]).toEqual([role, (roles as readonly unknown[]).includes(role) ? 1 : 0]);
  },
);

test('the page of a room shows names, times and links of published recordings, newest first', async () => {
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

test('links from the page of a room only work while their role may watch the recordings; links from the API keep working', async () => {
  const { room, params, recording } = await createTestRecording();
  const setAudience = async (audience: 'everyone' | 'participants' | 'moderators' | 'nobody') =>
    await api.admin.updateRoom({ params: room.params, body: { room_settings: { recordings_for: audience } } });
  const readPageLink = async (role: 'moderator' | 'guest' | null) => {
    const room_settings = { recordings_for: 'everyone' };
    const [recording] = await recordingsToWatch(api.app.dependencies, { id: room.uuid, room_settings }, role);
    return recording?.playback[1]?.url ?? '';
  };
  const links = [
    await readPageLink('moderator'),
    await readPageLink('guest'),
    await readPageLink(null),
    await linkOf({ params }),
  ];
  const statuses = async () => await Promise.all(links.map(async (link) => (await open(link)).status));
  await setAudience('everyone');
  expect(await statuses()).toEqual([302, 302, 302, 302]);
  await setAudience('participants');
  expect(await statuses()).toEqual([302, 302, 404, 302]);
  await setAudience('moderators');
  expect(await statuses()).toEqual([302, 404, 404, 302]);
  await setAudience('nobody');
  expect(await statuses()).toEqual([404, 404, 404, 302]);
  await setAudience('everyone');
  expect(await statuses()).toEqual([302, 302, 302, 302]);
  const [moderatorLink = '', guestLink = '', publicLink = ''] = links;
  for (const forged of [
    guestLink.replace('as=guest', 'as=moderator'),
    guestLink.replace('as=guest&', ''),
    guestLink.replace('?as=guest&', '?as=guest&as=moderator&'),
    guestLink.replace('as=guest', 'as=Guest'),
    moderatorLink.replace('as=moderator', 'as[]=moderator'),
    publicLink.replace(recording.id, (await createTestRecording()).recording.id),
  ])
    expect([forged, (await open(forged)).status]).toEqual([forged, 404]);
});

test('an expired recording cannot be watched and is not shown, even before it is deleted', async () => {
  const { room, recording, params } = await createTestRecording({ features: { record_expiration: '30' } });
  const expiresAtMs = Date.parse(recording.expires_at ?? '');
  const days = Math.floor((expiresAtMs - api.clock.nowMs()) / 86_400_000);
  api.clock.advance({ days, ms: expiresAtMs - api.clock.nowMs() - days * 86_400_000 - 1000 });
  const link = await linkOf({ params });
  const countShown = async () =>
    (await recordingsToWatch(api.app.dependencies, { id: room.uuid, room_settings: {} }, 'moderator')).length;
  expect([(await open(link)).status, await countShown()]).toEqual([302, 1]);
  api.clock.advance({ seconds: 1 });
  expect([(await open(link)).status, await countShown()]).toEqual([404, 0]);
});

describe('the callback of a provider', () => {
  async function createRecordedMeeting() {
    const room = await rooms.createTestRoom();
    await rooms.record(room);
    const { rows } = await api.app.connection.pool.query<{ id: string }>('select id from meetings where room_id = $1', [
      room.uuid,
    ]);
    const [providerRecording] = sandbox.control.state().recordings.filter(({ meetingID }) => meetingID === room.uuid);
    const id = rows[0]?.id ?? '';
    return {
      room,
      id,
      url: callbackAddress(api.app.dependencies, 'recording-ready', id),
      claims: { meeting_id: room.uuid, record_id: providerRecording?.recordID ?? '' },
    };
  }

  async function sendCallback(
    url: string,
    claims: Record<string, unknown>,
    { secret = sandbox.secret, alg = 'HS256' } = {},
  ) {
    const signed = await new SignJWT(claims).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));
    return await post(url, new URLSearchParams({ signed_parameters: signed }));
  }

  const post = async (url: string, body: URLSearchParams) => (await fetch(url, { method: 'POST', body })).status;

  async function listRecordings({ params }: RecordedRoom) {
    return (await api.admin.listRoomRecordings({ params })).data;
  }

  test('stores a recording immediately, and a repeated callback changes nothing', async () => {
    const { room, url, claims } = await createRecordedMeeting();
    expect(await listRecordings(room)).toEqual([]);
    expect(await sendCallback(url, claims)).toBe(200);
    const [recording] = await listRecordings(room);
    expect(recording).toMatchObject({ state: 'published' });
    sandbox.control.clearCalls();
    expect(await sendCallback(url, claims)).toBe(200);
    expect(sandbox.control.calls()).toEqual([]);
    api.clock.advance({ minutes: 1 });
    expect(await sendCallback(url, claims)).toBe(200);
    expect(await listRecordings(room)).toMatchObject([{ id: recording?.id, updated_at: recording?.updated_at }]);
  });

  test.each(['HS384', 'HS512'])('is accepted if it is signed with %s, which Scalelite uses', async (alg) => {
    const { room, url, claims } = await createRecordedMeeting();
    expect(await sendCallback(url, claims, { alg })).toBe(200);
    expect(await listRecordings(room)).toMatchObject([{ state: 'published' }]);
    expect(await sendCallback(url, claims, { alg, secret: 'guessed' })).toBe(401);
  });

  test('is sent by a provider for a meeting that can be recorded', async () => {
    const room = await rooms.createTestRoom();
    sandbox.control.clearDisturbances();
    await rooms.record(room, { sendsCallback: true });
    await sandbox.control.waitForCallbacks();
    expect(await listRecordings(room)).toMatchObject([{ state: 'published' }]);
  });

  test('is rejected if the provider did not sign it, or signed it for another meeting', async () => {
    const { room, url, claims } = await createRecordedMeeting();
    const other = await createRecordedMeeting();
    sandbox.control.clearCalls();
    expect(await sendCallback(url, claims, { secret: 'guessed' })).toBe(401);
    expect(await sendCallback(url, other.claims)).toBe(401);
    expect(await sendCallback(url, { record_id: claims.record_id })).toBe(401);
    expect(await post(url, new URLSearchParams({}))).toBe(401);
    expect(await post(url, new URLSearchParams({ signed_parameters: 'x.y.z' }))).toBe(401);
    const none = `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify(claims))}.`.replaceAll('=', '');
    expect(await post(url, new URLSearchParams({ signed_parameters: none }))).toBe(401);
    expect(await sendCallback(url.slice(0, -1), claims)).toBe(404);
    expect(
      await sendCallback(
        url.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A')),
        claims,
      ),
    ).toBe(404);
    expect(sandbox.control.calls()).toEqual([]);
    expect(await listRecordings(room)).toEqual([]);
  });

  test('is answered with 410 for a deleted room, and with 200 if the provider does not respond to requests', async () => {
    const deletedRoom = await createRecordedMeeting();
    await api.admin.deleteRoom({ params: deletedRoom.room.params });
    expect(await sendCallback(deletedRoom.url, deletedRoom.claims)).toBe(410);
    const { room, url, claims } = await createRecordedMeeting();
    sandbox.control.injectFault({ kind: 'html-page', call: 'getRecordings', times: 1 });
    expect(await sendCallback(url, claims)).toBe(200);
    expect(await listRecordings(room)).toEqual([]);
    api.clock.advance({ minutes: 2 });
    await rooms.sync();
    expect(await listRecordings(room)).toHaveLength(1);
  });
});
