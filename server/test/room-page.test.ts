import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseIdentifier, printUlid } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { makeProvider, makeRoom as makeRoomOf, openSandbox, refusalOf, unique } from './factories.ts';
import { pageVisitor } from './page-visitor.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;
let sandbox: Sandbox;
let provider: string;

beforeAll(async () => {
  api = await startApi();
  sandbox = await openSandbox();
  provider = (await makeProvider(api, sandbox)).id;
});

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

async function makeRoom(room: Record<string, unknown> = {}) {
  return (await makeRoomOf(api, { provider, room })).room;
}

type Room = Awaited<ReturnType<typeof makeRoom>>;

async function makeToken(room: Room, role: 'moderator' | 'attendee' | 'guest', expiresAt: string | null = null) {
  const body = { role, expires_at: expiresAt };
  return (await api.admin.createRoomToken({ params: { room_id: room.id }, body })).data;
}

async function countRows(room: Room): Promise<Record<string, number>> {
  const id = parseIdentifier('room', room.id) ?? '';
  const counts: Record<string, number> = {};
  for (const table of ['room_tokens', 'meetings', 'room_entries'] as const) {
    const rows = await api.app.dependencies.db.selectFrom(table).select('id').where('room_id', '=', id).execute();
    counts[table] = rows.length;
  }
  return counts;
}

const noRows = { room_tokens: 0, meetings: 0, room_entries: 0 };

test('viewing a room shows its join page and creates nothing', async () => {
  const room = await makeRoom({ is_public: true, room_settings: { description: 'Tea & <b>biscuits</b>' } });
  const { status, html, headers } = await pageVisitor().open(room.url);
  expect(status).toBe(200);
  expect(html).toContain('Ada Lovelace invites you to');
  expect(html).toContain(`<h1>${room.room_name}</h1>`);
  expect(html).toContain('Tea &amp; &lt;b>biscuits');
  expect(html).toContain('Not started yet');
  expect(html).toContain('noindex');
  expect(html).not.toMatch(/<style|style="|<script>|onclick/);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('same-origin');
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain(`form-action 'self' ${sandbox.url};`);
  expect(await countRows(room)).toEqual(noRows);
});

test('the assets of a page exist and are cacheable', async () => {
  const room = await makeRoom({ is_public: true });
  const { html } = await pageVisitor().open(room.url);
  const links = [...html.matchAll(/(?:href|src)="(\/rooms\/assets\/[^"]+)"/g)].map(([, link]) => link ?? '');
  expect(links).toHaveLength(4);
  for (const link of links) {
    const answer = await fetch(new URL(link.replaceAll('&amp;', '&'), room.url));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toContain('immutable');
  }
  expect((await fetch(new URL('/rooms/assets/brand/nocolr.css', room.url))).status).toBe(404);
});

test('every form of the id, an old slug and no slug redirect to the address of the room, with the token', async () => {
  const room = await makeRoom();
  const { token, url } = await makeToken(room, 'moderator');
  const uuid = parseIdentifier('room', room.id) ?? '';
  for (const path of [room.id, `${room.id}/old`, uuid, `${printUlid(uuid).toUpperCase()}/${room.slug}`]) {
    const { status, location } = await pageVisitor().open(`${api.url}/rooms/${path}?token=${token}`);
    expect([status, location]).toEqual([302, url]);
  }
  expect((await pageVisitor().open(url)).status).toBe(200);
});

test('the page of an unknown room explains that it does not exist', async () => {
  const missing = (await makeRoom()).id.replace(/.{4}$/, 'zzzz');
  for (const path of ['nope', missing, `${missing}/slug`, `${missing}/slug/waiting`]) {
    const { status, html, headers } = await pageVisitor().open(`${api.url}/rooms/${path}`);
    expect(status).toBe(404);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html).toContain('Room not found');
  }
});

test('a moderator joins with a name, which is remembered', async () => {
  const room = await makeRoom();
  const { url } = await makeToken(room, 'moderator');
  const moderator = pageVisitor();
  expect((await moderator.open(url)).html).toContain('Start the meeting');
  const { status, location } = await moderator.send(url, { name: '  Grace\n "Amazing" <Hopper>\u202E ' });
  expect(status).toBe(303);
  expect(location).toContain(sandbox.apiUrl);
  expect(new URL(location ?? '').searchParams.get('fullName')).toBe('Grace "Amazing" <Hopper>');
  const second = await moderator.open(url);
  expect(second.html).toContain('value="Grace &quot;Amazing&quot; &lt;Hopper>"');
  expect(second.html).toContain('Meeting in progress');
});

test('the name of a personal token pre-fills the form, but an entered or remembered name is kept', async () => {
  const room = await makeRoom();
  const createLink = async (body: Record<string, unknown>) =>
    (await api.admin.createRoomToken({ params: { room_id: room.id }, body: { role: 'moderator', ...body } })).data.url;
  const sharedLink = await createLink({ name: 'Everybody of 7b' });
  expect((await pageVisitor().open(sharedLink)).html).not.toContain('Everybody of 7b');
  const personalLink = await createLink({ name: 'Augusta "A" <King>\u202E', max_uses: 1 });
  const ada = pageVisitor();
  expect((await ada.open(personalLink)).html).toContain('value="Augusta &quot;A&quot; &lt;King>"');
  const { html } = await ada.send(personalLink, { name: '' });
  expect(html).not.toContain('Augusta');
  await ada.send(sharedLink, { name: 'Countess' });
  expect((await ada.open(personalLink)).html).toContain('value="Countess"');
  await api.admin.createRoomTokenBatch({
    params: { room_id: room.id },
    body: { tokens: [{ role: 'attendee', name: 'Grace' }] },
  });
  await runJob(api.app.dependencies, 'make-room-tokens');
  const { data: tokens } = await api.admin.listRoomTokens({ params: { room_id: room.id } });
  const batchToken = tokens.find(({ batch_id: batchId }) => batchId !== null);
  expect((await pageVisitor().open(batchToken?.url ?? '')).html).toContain('value="Grace"');
});

test('a join without a name is rejected, and the field shows the reason', async () => {
  const room = await makeRoom();
  const { url } = await makeToken(room, 'moderator');
  for (const name of ['', ' \t\n', '\u0000\u202E']) {
    const { status, html } = await pageVisitor().send(url, { name });
    expect(status).toBe(422);
    expect(html).toContain('aria-invalid="true"');
    expect(html).toContain('aria-describedby="name-error name-hint"');
    expect(html).toContain('id="name-error">Enter your name');
  }
  const { status, html } = await pageVisitor().send(url, { name: 'n'.repeat(151) });
  expect(status).toBe(422);
  expect(html).toContain('at most 150 characters');
  expect(await countRows(room)).toMatchObject({ meetings: 0, room_entries: 0 });
});

test('a protected role needs its code, and the form keeps its input', async () => {
  const room = await makeRoom();
  const { url } = await makeToken(room, 'moderator');
  const createCode = async (role: 'moderator' | 'attendee', text: string) =>
    await api.admin.createRoomAccessCode({ params: { room_id: room.id }, body: { role, code: text } });
  await createCode('moderator', 'OPEN-1234');
  await createCode('attendee', 'OTHER-1234');
  expect((await pageVisitor().open(url)).html).toContain('name="access_code"');
  for (const [access_code, sentence] of [
    ['', 'This room needs an access code'],
    ['WRONG-99', 'This access code is not valid'],
    ['OTHER-1234', 'This access code is for a different kind of invitation'],
  ] as const) {
    const { status, html } = await pageVisitor().send(url, { name: 'Grace', access_code });
    expect(status).toBe(403);
    expect(html).toContain(`id="access_code-error">${sentence}`);
    expect(html).toContain('value="Grace"');
  }
  expect(await countRows(room)).toMatchObject({ meetings: 0, room_entries: 0 });
  expect((await pageVisitor().send(url, { name: 'Grace', access_code: ' open-1234 ' })).status).toBe(303);
});

test('a visitor who arrives before the moderator waits, and joins when the meeting is running', async () => {
  const room = await makeRoom();
  const { url } = await makeToken(room, 'attendee');
  const { url: moderatorUrl, token: moderatorToken } = await makeToken(room, 'moderator');
  await api.admin.createRoomAccessCode({ params: { room_id: room.id }, body: { role: 'attendee', code: 'COME-IN' } });
  const attendee = pageVisitor();
  expect((await attendee.open(url)).html).toContain('Wait to join');
  const sent = await attendee.send(url, { name: 'Ann', access_code: 'COME-IN' });
  expect(sent.status).toBe(303);
  const waitingUrl = sent.location ?? '';
  expect(waitingUrl).toBe(url.replace('?', '/waiting?'));
  const cookie = sent.headers.getSetCookie().find((line) => line.startsWith('foyer_waiting_')) ?? '';
  expect(cookie).toMatch(/HttpOnly/);
  expect(cookie).toMatch(/SameSite=Lax/);
  expect(cookie).not.toMatch(/Ann|COME-IN/);
  const waitingPage = await attendee.open(waitingUrl);
  expect(waitingPage.status).toBe(200);
  expect(waitingPage.html).toContain('<noscript><meta http-equiv="refresh" content="5"/></noscript>');
  expect(waitingPage.html).toContain('Waiting as Ann');
  expect(await countRows(room)).toMatchObject({ meetings: 0, room_entries: 0 });

  await pageVisitor().send(moderatorUrl, { name: 'Grace' });
  const readyPage = await attendee.open(waitingUrl);
  expect(readyPage.html).toContain('Join now');
  expect(readyPage.html).toContain('<input type="hidden" name="access_code" value="COME-IN"/>');
  expect(readyPage.html).not.toContain(moderatorToken);
  const entered = await attendee.send(url, { name: 'Ann', access_code: 'COME-IN' });
  expect(entered.status).toBe(303);
  expect(new URL(entered.location ?? '').searchParams.get('role')).toBe('VIEWER');
  expect([...attendee.jar.keys()].some((name) => name.startsWith('foyer_waiting_'))).toBe(false);
});

test('a waiting page without a waiting visitor, or after too long, redirects to the join page', async () => {
  const room = await makeRoom();
  const { url } = await makeToken(room, 'attendee');
  const waitingVisitor = pageVisitor();
  const waitingUrl = (await waitingVisitor.send(url, { name: 'Ann' })).location ?? '';
  expect((await waitingVisitor.open(waitingUrl)).status).toBe(200);
  const stranger = await pageVisitor().open(waitingUrl);
  expect([stranger.status, stranger.location]).toEqual([302, url]);
  const forger = pageVisitor();
  for (const [name, { path }] of waitingVisitor.jar) forger.jar.set(name, { value: 'x.y.z', path });
  expect((await forger.open(waitingUrl)).location).toBe(url);
  const before = api.clock.now();
  api.clock.set('2026-03-10T16:00:01Z');
  expect((await waitingVisitor.open(waitingUrl)).location).toBe(url);
  api.clock.set(before);
});

test('a guest of a public room gets a token when joining, and can rejoin with it', async () => {
  const room = await makeRoom({ is_public: true, room_settings: { anyone_can_start: true } });
  const guest = pageVisitor();
  const entered = await guest.send(room.url, { name: 'Gus' });
  expect(entered.status).toBe(303);
  const cookie = entered.headers.getSetCookie().find((line) => line.startsWith('foyer_guest_')) ?? '';
  expect(cookie).toContain(`Path=/rooms/${room.id};`);
  expect(cookie).toMatch(/HttpOnly/);
  expect(cookie).toMatch(/SameSite=Lax/);
  expect(await countRows(room)).toMatchObject({ room_tokens: 1, room_entries: 1 });
  expect((await guest.send(room.url, { name: 'Gus' })).status).toBe(303);
  expect(await countRows(room)).toMatchObject({ room_tokens: 1, room_entries: 2 });
  const { data } = await api.admin.listRoomTokens({ params: { room_id: room.id } });
  expect(data).toMatchObject([{ role: 'guest', name: null }]);
  expect(data[0]?.last_usage).not.toBeNull();
  await api.admin.deleteRoomToken({ params: { room_id: room.id, token_id: data[0]?.id ?? '' } });
  expect((await guest.send(room.url, { name: 'Gus' })).status).toBe(303);
  expect(await countRows(room)).toMatchObject({ room_tokens: 1 });
});

test('no data is stored about a guest who is rejected or waits', async () => {
  const room = await makeRoom({ is_public: true });
  expect((await pageVisitor().send(room.url, { name: 'Gus' })).location).toContain('/waiting');
  await api.admin.updateRoom({ params: { room_id: room.id }, body: { status: 'inactive' } });
  expect((await pageVisitor().send(room.url, { name: 'Gus' })).status).toBe(403);
  expect(await countRows(room)).toEqual(noRows);
});

test('a visitor who cannot join at all sees the reason and no form', async () => {
  const room = await makeRoom();
  const inactiveRoom = await makeRoom({ is_public: true, status: 'inactive' });
  const expired = await makeToken(room, 'attendee', '2026-03-10T12:00:00Z');
  const otherToken = await makeToken(inactiveRoom, 'attendee');
  for (const [url, sentence] of [
    [room.url, 'You need an invitation link'],
    [`${room.url}?token=nonsense`, 'Your invitation link is not valid for this room'],
    [`${room.url}?token=${otherToken.token}`, 'Your invitation link is not valid for this room'],
    [expired.url, 'Your invitation link has expired'],
    [inactiveRoom.url, 'This room is closed'],
  ] as const) {
    for (const response of [await pageVisitor().open(url), await pageVisitor().send(url, { name: 'Eve' })]) {
      expect(response.status).toBe(403);
      expect(response.html).toContain(sentence);
      expect(response.html).not.toContain('<form');
    }
  }
});

test('a cross-site form cannot join', async () => {
  const room = await makeRoom();
  const { url } = await makeToken(room, 'moderator');
  const before = await countRows(room);
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-site' },
  ]) {
    const { status, html } = await pageVisitor().send(url, { name: 'Eve' }, headers);
    expect(status).toBe(403);
    expect(html).toContain('came from another site');
  }
  expect(await countRows(room)).toEqual(before);
  expect((await pageVisitor().send(url, { name: 'Grace' }, { origin: api.url })).status).toBe(303);
});

test('while the meeting server does not respond, the form keeps its input', async () => {
  const silent = (await makeProvider(api)).id;
  const { room } = await makeRoomOf(api, { provider: silent });
  const { url } = await makeToken(room, 'moderator');
  const { status, html, headers } = await pageVisitor().send(url, { name: 'Grace' });
  expect(status).toBe(503);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(html).toContain(`role="alert">The meeting server isn't responding`);
  expect(html).toContain('value="Grace"');
});

test('a body that is not a form is rejected with a page', async () => {
  const room = await makeRoom({ is_public: true });
  const answer = await fetch(room.url, { method: 'POST', body: 'name', headers: { 'content-type': 'text/plain' } });
  expect(answer.status).toBe(415);
  expect(answer.headers.get('content-type')).toContain('text/html');
});

test("pages have the name, logo, color and support link of the platform's settings", async () => {
  const room = await makeRoom({ is_public: true, room_settings: { hero_image: 'https://img.example/hero.png' } });
  const branding = {
    platform_name: 'Harbour & Co',
    logo_url: 'https://img.example/logo.svg',
    primary_color: '#FFEE00',
    support_url: 'https://help.example/',
  };
  await api.admin.updateSettings({ body: branding });
  const { html } = await pageVisitor().open(room.url);
  expect(html).toContain('Harbour &amp; Co');
  expect(html).toContain('src="https://img.example/logo.svg" alt');
  expect(html).toContain('src="https://img.example/hero.png" alt');
  expect(html).toContain('/rooms/assets/brand/ffee00.css');
  expect(html).toContain('href="https://help.example/"');
  const defaults = { platform_name: 'Foyer', logo_url: null, primary_color: '#2f5fd0', support_url: null };
  await api.admin.updateSettings({ body: defaults });
});

test('a room token is enough to join over the API', async () => {
  const room = await makeRoom();
  const { token } = await makeToken(room, 'moderator');
  const params = { room_id: room.id };
  const { data } = await api.anyone.joinRoom({ params, body: { token, name: 'Grace' } });
  expect(data).toMatchObject({
    object: 'RoomEntry',
    room_id: room.id,
    role: 'moderator',
    name: 'Grace',
    token,
    meeting_started: true,
    expires_at: '2026-03-10T12:01:00.000000Z',
  });
  expect(data.url).toContain(sandbox.apiUrl);
  const nameless = await refusalOf(api.anyone.joinRoom({ params, body: { token } }));
  expect([nameless.status, nameless.errors]).toEqual([422, { name: ['The name field is required.'] }]);
  const stranger = await refusalOf(api.anyone.joinRoom({ params, body: { name: 'Eve' } }));
  expect([stranger.status, stranger.code]).toEqual([403, 'token-required']);
});

test('a guest who joins a public room over the API gets a token to rejoin', async () => {
  const room = await makeRoom({ is_public: true, room_settings: { anyone_can_start: true } });
  const params = { room_id: room.id };
  const { data: first } = await api.anyone.joinRoom({ params, body: { name: unique('Gus') } });
  expect(first).toMatchObject({ role: 'guest', token: expect.stringMatching(/^frm_/) });
  const { data: second } = await api.anyone.joinRoom({ params, body: { name: 'Gus', token: first.token } });
  expect(second).toMatchObject({ role: 'guest', token: first.token, meeting_started: false });
  expect(await countRows(room)).toMatchObject({ room_tokens: 1, room_entries: 2 });
});

test('callers with the permission to join rooms need no token, and join as moderator or in the requested role', async () => {
  const room = await makeRoom();
  const params = { room_id: room.id };
  await api.admin.createRoomAccessCode({ params, body: { role: 'moderator' } });
  const { data } = await api.admin.joinRoom({ params, body: {} });
  expect(data).toMatchObject({ role: 'moderator', token: null });
  expect(data.name).not.toBe('');
  expect((await api.admin.joinRoom({ params, body: { role: 'guest', name: 'Gus' } })).data.role).toBe('guest');
  const { token } = await makeToken(room, 'attendee');
  expect((await api.admin.joinRoom({ params, body: { token, name: 'Ann' } })).data.role).toBe('attendee');
});

test('choosing a role requires the permission to join rooms', async () => {
  const room = await makeRoom({ is_public: true });
  const params = { room_id: room.id };
  const refusal = await refusalOf(api.anyone.joinRoom({ params, body: { role: 'moderator', name: 'Eve' } }));
  expect([refusal.status, refusal.code]).toEqual([403, 'forbidden']);
  expect(await countRows(room)).toEqual(noRows);
});

test('a join check lists all reasons to reject the join, and changes nothing', async () => {
  const room = await makeRoom({ status: 'inactive' });
  const params = { room_id: room.id };
  const { token } = await makeToken(room, 'attendee', '2026-03-10T11:00:00Z');
  await api.admin.createRoomAccessCode({ params, body: { role: 'attendee' } });
  const before = await countRows(room);
  const { data } = await api.admin.checkRoomEntry({ params, body: { token } });
  expect(data).toMatchObject({ object: 'RoomEntryCheck', allowed: false, role: 'attendee' });
  expect(data.reasons.map(({ code }) => code)).toEqual([
    'room-inactive',
    'token-expired',
    'access-code-required',
    'waiting-for-moderator',
  ]);
  const { data: checkWithoutToken } = await api.admin.checkRoomEntry({ params, body: {} });
  expect(checkWithoutToken.reasons.map(({ code }) => code)).toContain('token-required');
  expect(await countRows(room)).toEqual(before);
});
