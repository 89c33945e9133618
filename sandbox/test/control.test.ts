import { expect, test } from 'vitest';
import type { Sandbox, SandboxState } from '../src/index.ts';
import { demoMeeting, startTestSandbox } from './running-sandbox.ts';
import { sendRaw } from './raw-http.ts';

test('Everything can be controlled over the network', async () => {
  const { sandbox, api } = await startTestSandbox();
  const post = createPost(sandbox);
  await api.call('create', demoMeeting({ record: 'true', guestPolicy: 'ASK_MODERATOR' }));
  expect(
    await post('users/join', {
      meetingID: 'demo',
      fullName: 'Mo',
      userID: 'mo',
      role: 'MODERATOR',
    }),
  ).toMatchObject({ status: 200, body: { userID: 'mo', presence: 'joined' } });
  expect(await post('users/join', { meetingID: 'demo', fullName: 'Gus', userID: 'gus', guest: true })).toMatchObject({
    body: { presence: 'registered', guestStatus: 'WAIT' },
  });
  expect(await post('guests/admit', { meetingID: 'demo', userID: 'gus' })).toMatchObject({
    body: { guestStatus: 'ALLOW' },
  });
  expect(await post('meetings/record', { meetingID: 'demo' })).toMatchObject({ status: 200 });
  expect((await readState(sandbox)).meetings[0]).toMatchObject({
    isRecording: true,
    running: true,
    users: [{ userID: 'mo' }, { userID: 'gus', presence: 'registered' }],
  });
  expect(await post('users/leave', { meetingID: 'demo', userID: 'mo' })).toMatchObject({
    body: { presence: 'left' },
  });
  const { now } = await readState(sandbox);
  expect(await post('clock', { advanceSeconds: 60 })).toMatchObject({
    body: { now: now + 60_000 },
  });
  expect((await readState(sandbox)).recordings).toMatchObject([{ state: 'processing' }]);
  expect(await post('recordings/finish', {})).toMatchObject({ status: 200 });
  expect((await readState(sandbox)).recordings).toMatchObject([{ state: 'published' }]);
  expect(await post('clock', { now: '2030-01-01T00:00:00Z' })).toMatchObject({
    body: { now: Date.UTC(2030, 0, 1) },
  });
  expect(await post('reset', {})).toMatchObject({ status: 200 });
  expect((await readState(sandbox)).recordings).toEqual([]);
});

test('Recordings, rooms, events and callbacks can be controlled over the network, too', async () => {
  const { sandbox, api } = await startTestSandbox();
  const post = createPost(sandbox);
  const planted = {
    meetingID: 'old',
    state: 'unpublished',
    formats: ['video'],
    metadata: { course: 'x' },
    sizeBytes: 7,
  };
  const { body } = await post('recordings/plant', planted);
  const { recordID } = body as { recordID: string };
  expect((await api.call('getRecordings')).xml).toContain('<size>7</size><metadata>');
  expect(await post('recordings/break', { recordID })).toMatchObject({ status: 200 });
  expect((await api.call('getRecordings')).xml).toContain('<error>');
  expect(await post('recordings/lose', { recordID })).toMatchObject({ status: 200 });
  expect((await readState(sandbox)).recordings).toEqual([]);

  await api.call('create', demoMeeting({ meta_endCallbackUrl: 'http://127.0.0.1:1/' }));
  expect(await post('meetings/breakout-rooms', { meetingID: 'demo', count: 2, minutes: 5 })).toMatchObject({
    body: { meetingIDs: [expect.stringContaining('demo-'), expect.stringContaining('demo-')] },
  });
  expect(await post('events', { meetingID: 'demo', event: 'poll-started' })).toMatchObject({ status: 200 });
  expect(await post('callbacks/disturb', { kind: 'lost' })).toMatchObject({ status: 200 });
  await post('meetings/end', { meetingID: 'demo' });
  const callbacks = await sendRaw(sandbox.url, '/sandbox/control/callbacks');
  expect(JSON.parse(callbacks.body)).toMatchObject([{ id: 1, kind: 'end', state: 'dropped', attempts: [] }]);
  expect(await post('callbacks/replay', { id: 1 })).toMatchObject({ status: 422 });
  expect((await sendRaw(sandbox.url, '/sandbox/control/callbacks/disturb', { method: 'DELETE' })).status).toBe(200);
  expect(await post('restart', {})).toMatchObject({ status: 200 });
  expect((await readState(sandbox)).meetings).toEqual([]);
  expect(await post('server', { state: 'cordoned' })).toMatchObject({ status: 422 });
});

test.each([
  ['recordings/plant', {}],
  ['recordings/plant', { meetingID: 'x', formats: ['film'] }],
  ['recordings/plant', { meetingID: 'x', formats: 'video' }],
  ['recordings/plant', { meetingID: 'x', metadata: { a: 1 } }],
  ['recordings/plant', { meetingID: 'x', state: 'lost' }],
  ['recordings/lose', { recordID: 'unknown' }],
  ['recordings/break', {}],
  ['meetings/breakout-rooms', { meetingID: 'demo', count: 0 }],
  ['meetings/breakout-rooms', { meetingID: 'unknown', count: 1 }],
  ['events', { meetingID: 'demo' }],
  ['events', { meetingID: 'demo', event: 'x', attributes: 'y' }],
  ['callbacks/disturb', { kind: 'slow' }],
  ['callbacks/disturb', { kind: 'lost', callback: 'unknown' }],
])('Invalid input is refused: %s %o', async (path, body) => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  expect(await createPost(sandbox)(path, body)).toMatchObject({ status: 422, body: { message: expect.any(String) } });
});

test('A guest can be denied', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ guestPolicy: 'ASK_MODERATOR' }));
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Gus', userID: 'gus', guest: true });
  const denied = sandbox.control.denyGuest({ meetingID: 'demo', userID: 'gus' });
  expect(denied.guestStatus).toBe('DENY');
});

test('The user of a session can join and leave', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  const { elements } = await api.call('join', {
    meetingID: 'demo',
    fullName: 'Anna',
    role: 'VIEWER',
    redirect: 'false',
  });
  const sessionToken = String(elements['session_token']);
  const post = createPost(sandbox);
  expect(await post('users/join', { sessionToken })).toMatchObject({
    body: { presence: 'joined' },
  });
  expect(await post('users/leave', { sessionToken })).toMatchObject({ body: { presence: 'left' } });
});

test('A meeting can be ended, calls and faults can be listed and cleared', async () => {
  const { sandbox, api } = await startTestSandbox();
  const post = createPost(sandbox);
  await api.call('create', demoMeeting());
  await post('meetings/end', { meetingID: 'demo' });
  expect((await readState(sandbox)).meetings[0]).toMatchObject({ endReason: 'moderator' });
  await post('faults', { kind: 'delay', call: 'create', times: null, milliseconds: 5 });
  expect((await sendRaw(sandbox.url, '/sandbox/control/faults')).body).toContain('"delay"');
  await sendRaw(sandbox.url, '/sandbox/control/faults?call=create', { method: 'DELETE' });
  expect(sandbox.control.state().faults).toEqual([]);
  expect((await sendRaw(sandbox.url, '/sandbox/control/calls')).body).toContain('"create"');
  await sendRaw(sandbox.url, '/sandbox/control/calls', { method: 'DELETE' });
  expect(sandbox.control.calls()).toEqual([]);
});

test.each<[string, object]>([
  ['users/join', { meetingID: 'unknown', fullName: 'Anna' }],
  ['users/join', { meetingID: 'demo' }],
  ['users/join', { sessionToken: 'unknown' }],
  ['users/join', { meetingID: 'demo', fullName: 'Anna', role: 'KING' }],
  ['users/leave', { meetingID: 'demo', userID: 'unknown' }],
  ['guests/admit', { meetingID: 'demo', userID: 'mo' }],
  ['meetings/record', { meetingID: 'demo' }],
  ['meetings/end', {}],
  ['clock', {}],
  ['clock', { advanceSeconds: -1 }],
  ['clock', { advanceSeconds: 1, now: '2030-01-01' }],
  ['clock', { now: 'soon' }],
  ['faults', {}],
  ['faults', { kind: 'earthquake' }],
  ['faults', { kind: 'hang', times: 'often' }],
  ['reset', []],
])('Invalid actions are rejected with a sentence: %s %o', async (path, body) => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Mo', userID: 'mo' });
  const answer = await createPost(sandbox)(path, body);
  expect(answer.status).toBe(422);
  expect(answer.body).toEqual({ message: expect.stringMatching(/\.$/) });
});

test('A page of another origin cannot control the sandbox', async () => {
  const { sandbox } = await startTestSandbox();
  const answer = await sendRaw(sandbox.url, '/sandbox/control/clock', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: '{"advanceSeconds":1}',
  });
  expect(answer.status).toBe(415);
  expect((await sendRaw(sandbox.url, '/sandbox/control/clock')).status).toBe(404);
  expect((await sendRaw(sandbox.url, '/sandbox/control/other')).status).toBe(404);
});

test('On addresses other than loopback, the control API needs the secret', async () => {
  const { sandbox } = await startTestSandbox({ host: '0.0.0.0' });
  expect((await sendRaw(sandbox.url, '/sandbox/control/state')).status).toBe(401);
  const wrong = { authorization: 'Bearer wrong' };
  const right = { authorization: `Bearer ${sandbox.secret}` };
  expect((await sendRaw(sandbox.url, '/sandbox/control/state', { headers: wrong })).status).toBe(401);
  expect((await sendRaw(sandbox.url, '/sandbox/control/state', { headers: right })).status).toBe(200);
});

function createPost({ url }: Sandbox) {
  return async (path: string, body: object) => {
    const response = await fetch(`${url}/sandbox/control/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as unknown };
  };
}

async function readState({ url }: Sandbox): Promise<SandboxState> {
  return (await (await fetch(`${url}/sandbox/control/state`)).json()) as SandboxState;
}
