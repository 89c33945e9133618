import { expect, test } from 'vitest';
import type { Sandbox, SandboxState } from '../src/index.ts';
import { demoMeeting, runningSandbox } from './running-sandbox.ts';
import { sendRaw } from './raw-http.ts';

test('Everything can be driven over the network', async () => {
  const { sandbox, api } = await runningSandbox();
  const post = poster(sandbox);
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

test('A guest can be turned away', async () => {
  const { sandbox, api } = await runningSandbox();
  await api.call('create', demoMeeting({ guestPolicy: 'ASK_MODERATOR' }));
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Gus', userID: 'gus', guest: true });
  const denied = sandbox.control.denyGuest({ meetingID: 'demo', userID: 'gus' });
  expect(denied.guestStatus).toBe('DENY');
});

test('The holder of a session can be put in and out', async () => {
  const { sandbox, api } = await runningSandbox();
  await api.call('create', demoMeeting());
  const { elements } = await api.call('join', {
    meetingID: 'demo',
    fullName: 'Anna',
    role: 'VIEWER',
    redirect: 'false',
  });
  const sessionToken = String(elements['session_token']);
  const post = poster(sandbox);
  expect(await post('users/join', { sessionToken })).toMatchObject({
    body: { presence: 'joined' },
  });
  expect(await post('users/leave', { sessionToken })).toMatchObject({ body: { presence: 'left' } });
});

test('A meeting can be ended, calls and faults can be listed and cleared', async () => {
  const { sandbox, api } = await runningSandbox();
  const post = poster(sandbox);
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
  ['users/join', { meetingID: 'nobody', fullName: 'Anna' }],
  ['users/join', { meetingID: 'demo' }],
  ['users/join', { sessionToken: 'nobody' }],
  ['users/join', { meetingID: 'demo', fullName: 'Anna', role: 'KING' }],
  ['users/leave', { meetingID: 'demo', userID: 'nobody' }],
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
])('What cannot be done is refused with a sentence: %s %o', async (path, body) => {
  const { sandbox, api } = await runningSandbox();
  await api.call('create', demoMeeting());
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Mo', userID: 'mo' });
  const answer = await poster(sandbox)(path, body);
  expect(answer.status).toBe(422);
  expect(answer.body).toEqual({ message: expect.stringMatching(/\.$/) });
});

test('A page of another origin cannot steer the sandbox', async () => {
  const { sandbox } = await runningSandbox();
  const answer = await sendRaw(sandbox.url, '/sandbox/control/clock', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: '{"advanceSeconds":1}',
  });
  expect(answer.status).toBe(415);
  expect((await sendRaw(sandbox.url, '/sandbox/control/clock')).status).toBe(404);
  expect((await sendRaw(sandbox.url, '/sandbox/control/other')).status).toBe(404);
});

test('Off loopback the control API wants the secret', async () => {
  const { sandbox } = await runningSandbox({ host: '0.0.0.0' });
  expect((await sendRaw(sandbox.url, '/sandbox/control/state')).status).toBe(401);
  const wrong = { authorization: 'Bearer wrong' };
  const right = { authorization: `Bearer ${sandbox.secret}` };
  expect((await sendRaw(sandbox.url, '/sandbox/control/state', { headers: wrong })).status).toBe(401);
  expect((await sendRaw(sandbox.url, '/sandbox/control/state', { headers: right })).status).toBe(200);
});

function poster({ url }: Sandbox) {
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
