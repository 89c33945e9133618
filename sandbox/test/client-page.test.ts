import { expect, test } from 'vitest';
import type { Sandbox } from '../src/index.ts';
import { demoMeeting, startTestSandbox } from './running-sandbox.ts';
import { type RawAnswer, sendRaw } from './raw-http.ts';
import type { Caller } from './signed-call.ts';

test('Opening the page does not join the meeting; its button does, and works without JavaScript', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  const session = await joinSession(api, { role: 'VIEWER' });
  const page = await openPage(sandbox, 'join', session);
  expect(page.status).toBe(200);
  expect(page.body).toContain('action="/html5client/enter"');
  expect(readPresence(sandbox)).toEqual(['registered']);
  const entered = await submit(sandbox, 'enter', { sessionToken: session });
  expect(entered.status).toBe(303);
  expect(entered.headers['location']).toBe(`/html5client/join?sessionToken=${session}`);
  expect(readPresence(sandbox)).toEqual(['joined']);
  expect((await openPage(sandbox, 'join', session)).body).toContain('You are in');
  const left = await submit(sandbox, 'leave', { sessionToken: session });
  expect(left.headers['location']).toBe(`/html5client/left?sessionToken=${session}`);
  expect(readPresence(sandbox)).toEqual(['left']);
  expect((await openPage(sandbox, 'left', session)).body).toContain('You have left');
});

test('The page loads nothing inline and nothing from other origins', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  const page = await openPage(sandbox, 'join', await joinSession(api, { role: 'MODERATOR' }));
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect(page.headers['content-security-policy']).not.toContain('unsafe');
  expect(page.headers['referrer-policy']).toBe('no-referrer');
  expect(page.headers['cache-control']).toBe('no-store');
  expect(page.body).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*src="\/html5client\/)/);
  for (const [path, type] of [
    ['client.css', 'text/css'],
    ['client.js', 'text/javascript'],
    ['icon.svg', 'image/svg+xml'],
  ] as const) {
    const asset = await sendRaw(sandbox.url, `/html5client/${path}`);
    expect(asset.status).toBe(200);
    expect(asset.headers['content-type']).toContain(type);
  }
});

test('HTML in names and texts is escaped on every page', async () => {
  const { sandbox, api } = await startTestSandbox();
  const hostile = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;
  await api.call(
    'create',
    demoMeeting({
      name: hostile,
      welcome: hostile,
      bannerText: hostile,
      moderatorOnlyMessage: hostile,
      guestPolicy: 'ASK_MODERATOR',
      logoutURL: 'javascript:alert(3)',
    }),
  );
  const moderator = await joinSession(api, { role: 'MODERATOR', fullName: hostile });
  const guest = await joinSession(api, { role: 'VIEWER', guest: 'true', fullName: hostile });
  await submit(sandbox, 'enter', { sessionToken: moderator });
  const pages = [
    await openPage(sandbox, 'join', moderator),
    await openPage(sandbox, 'guestWait', guest),
    await openPage(sandbox, 'left', moderator),
  ];
  await submit(sandbox, 'end', { sessionToken: moderator });
  pages.push(await openPage(sandbox, 'join', moderator));
  const errors = encodeURIComponent(JSON.stringify([{ key: hostile, message: hostile }]));
  pages.push(await sendRaw(sandbox.url, `/bigbluebutton/?errors=${errors}`));
  for (const page of pages) {
    expect(page.body).not.toMatch(/<script>|<img src=x|javascript:/);
    expect(page.body).toContain('&#60;script&#62;alert(1)');
  }
});

test('Only moderators see the guests in the lobby, and admit or deny them', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ guestPolicy: 'ASK_MODERATOR' }));
  const moderator = await joinSession(api, { role: 'MODERATOR', fullName: 'Mo' });
  const viewer = await joinSession(api, { role: 'VIEWER', auth: 'false', fullName: 'Vera' });
  const guests = [
    await joinSession(api, { role: 'VIEWER', guest: 'true', fullName: 'Gus' }),
    await joinSession(api, { role: 'VIEWER', guest: 'true', fullName: 'Gil' }),
  ] as const;
  for (const sessionToken of [moderator, viewer, ...guests]) {
    await submit(sandbox, 'enter', { sessionToken });
  }
  expect(readPresence(sandbox)).toEqual(['joined', 'joined', 'registered', 'registered']);
  expect((await openPage(sandbox, 'guestWait', guests[0])).body).toContain('Waiting for a moderator');
  expect((await openPage(sandbox, 'join', viewer)).body).not.toContain('Gus');
  const [gus, gil] = (await readView(sandbox, moderator)).waiting;
  expect((await readView(sandbox, viewer)).waiting).toEqual([]);
  await submit(sandbox, 'answer', { sessionToken: viewer, userID: gus.userID, answer: 'admit' });
  expect((await readView(sandbox, guests[0])).status).toBe('waiting');
  await submit(sandbox, 'answer', { sessionToken: moderator, userID: gus.userID, answer: 'admit' });
  await submit(sandbox, 'answer', { sessionToken: moderator, userID: gil.userID, answer: 'deny' });
  expect((await readView(sandbox, guests[0])).status).toBe('open');
  expect((await readView(sandbox, guests[1])).status).toBe('denied');
  expect((await openPage(sandbox, 'join', guests[1])).status).toBe(403);
});

test('A guest who stops waiting leaves the lobby, and can return', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ guestPolicy: 'ASK_MODERATOR' }));
  const moderator = await joinSession(api, { role: 'MODERATOR' });
  const guest = await joinSession(api, { role: 'VIEWER', guest: 'true' });
  await submit(sandbox, 'enter', { sessionToken: moderator });
  await submit(sandbox, 'leave', { sessionToken: guest });
  expect((await readView(sandbox, moderator)).waiting).toHaveLength(0);
  await submit(sandbox, 'enter', { sessionToken: guest });
  expect((await readView(sandbox, moderator)).waiting).toHaveLength(1);
});

test('Only moderators in the meeting can record and end it', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ record: 'true' }));
  const viewer = await joinSession(api, { role: 'VIEWER' });
  const moderator = await joinSession(api, { role: 'MODERATOR' });
  await submit(sandbox, 'enter', { sessionToken: viewer });
  for (const sessionToken of [viewer, moderator]) {
    await submit(sandbox, 'record', { sessionToken });
    await submit(sandbox, 'end', { sessionToken });
    expect(sandbox.control.state().meetings[0]).toMatchObject({
      isRecording: false,
      endedAt: null,
    });
  }
  await submit(sandbox, 'enter', { sessionToken: moderator });
  await submit(sandbox, 'record', { sessionToken: moderator });
  expect(sandbox.control.state().meetings[0]?.isRecording).toBe(true);
  await submit(sandbox, 'end', { sessionToken: moderator });
  expect((await openPage(sandbox, 'join', viewer)).body).toContain('The meeting has ended');
});

test('With allowStartStopRecording=false moderators cannot start the recording', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ record: 'true', allowStartStopRecording: 'false' }));
  const sessionToken = await joinSession(api, { role: 'MODERATOR' });
  await submit(sandbox, 'enter', { sessionToken });
  await submit(sandbox, 'record', { sessionToken });
  expect(sandbox.control.state().meetings[0]?.isRecording).toBe(false);
});

test('A user with two open pages counts once, and has left when both are closed', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  const sessionToken = await joinSession(api, { role: 'VIEWER' });
  await submit(sandbox, 'enter', { sessionToken, connection: 'one' });
  await submit(sandbox, 'enter', { sessionToken, connection: 'two' });
  await submit(sandbox, 'leave', { sessionToken, connection: 'one' });
  expect(readPresence(sandbox)).toEqual(['joined']);
  await submit(sandbox, 'leave', { sessionToken, connection: 'two' });
  expect(readPresence(sandbox)).toEqual(['left']);
});

test('The goodbye page redirects to the logoutURL', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ logoutURL: 'https://example.com/bye?a=1&b=2' }));
  const sessionToken = await joinSession(api, { role: 'VIEWER' });
  const page = await openPage(sandbox, 'left', sessionToken);
  expect(page.body).toContain('content="3;url=https://example.com/bye?a=1&#38;b=2"');
});

test.each(['join', 'guestWait', 'left', 'state'])('An unknown session gets a 404 at %s', async (path) => {
  const { sandbox } = await startTestSandbox();
  expect((await openPage(sandbox, path, 'unknown')).status).toBe(404);
  expect((await sendRaw(sandbox.url, `/html5client/${path}`)).status).toBe(404);
});

test('Forms of unknown sessions, of unknown actions and with another content type are rejected', async () => {
  const { sandbox } = await startTestSandbox();
  expect((await submit(sandbox, 'enter', { sessionToken: 'unknown' })).status).toBe(404);
  expect((await submit(sandbox, 'explode', {})).status).toBe(404);
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  expect((await sendRaw(sandbox.url, '/html5client/enter', json)).status).toBe(415);
  expect((await sendRaw(sandbox.url, '/html5client/join', { method: 'PUT' })).status).toBe(405);
});

async function joinSession(api: Caller, parameters: Record<string, string>): Promise<string> {
  const request = { meetingID: 'demo', fullName: 'Anna', redirect: 'false', ...parameters };
  return String((await api.call('join', request)).elements['session_token']);
}

function openPage(sandbox: Sandbox, page: string, session: string): Promise<RawAnswer> {
  return sendRaw(sandbox.url, `/html5client/${page}?sessionToken=${session}`);
}

function submit(sandbox: Sandbox, action: string, fields: Record<string, string>) {
  return sendRaw(sandbox.url, `/html5client/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
}

interface View {
  status: string;
  waiting: [{ userID: string }, { userID: string }];
}

async function readView(sandbox: Sandbox, session: string): Promise<View> {
  return JSON.parse((await openPage(sandbox, 'state', session)).body) as View;
}

function readPresence(sandbox: Sandbox) {
  return sandbox.control.state().meetings[0]?.users.map((user) => user.presence);
}
