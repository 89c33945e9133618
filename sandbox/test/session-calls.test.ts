import { expect, test } from 'vitest';
import type { Sandbox } from '../src/index.ts';
import { demoMeeting, startTestSandbox } from './running-sandbox.ts';
import { readAnswer } from './signed-call.ts';

test('A participant gets an address to join again as the same user', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  const { sessionToken } = sandbox.control.joinUser({
    meetingID: 'demo',
    fullName: "Anna's Ä",
    userID: 'a',
    role: 'MODERATOR',
  });
  const { url } = await ask<{ url: string }>(sandbox, 'getJoinUrl', sessionToken);
  const landing = await fetch(url);
  expect(landing.url).toContain('/html5client/join?sessionToken=');
  const users = sandbox.control.state().meetings[0]?.users.filter(({ userID }) => userID === 'a');
  expect(users).toMatchObject([{ fullName: "Anna's Ä" }, { fullName: "Anna's Ä", role: 'MODERATOR' }]);
});

test('Moderators see the learning dashboard, viewers and outsiders do not', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  const { sessionToken } = sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna', role: 'MODERATOR' });
  const viewer = sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Ben' });
  const { data } = await ask<{ data: string }>(sandbox, 'learningDashboard', sessionToken);
  expect(JSON.parse(data)).toMatchObject({ extId: 'demo', name: 'Demo' });
  expect(await ask(sandbox, 'learningDashboard', viewer.sessionToken)).toMatchObject({
    returncode: 'FAILED',
    message: 'Access denied',
  });
  expect(await ask(sandbox, 'learningDashboard', 'unknown')).toMatchObject({ message: 'Invalid Session' });
});

test('The learning dashboard omits users who requested that', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  const { sessionToken } = sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna', role: 'MODERATOR' });
  const ben = { meetingID: 'demo', fullName: 'Ben', role: 'VIEWER', redirect: 'false', excludeFromDashboard: 'true' };
  const { elements } = await api.call('join', ben);
  sandbox.control.joinUser({ sessionToken: String(elements['session_token']) });
  const { data } = await ask<{ data: string }>(sandbox, 'learningDashboard', sessionToken);
  const { users } = JSON.parse(data) as { users: Record<string, { name: string }> };
  expect(Object.values(users).map(({ name }) => name)).toEqual(['Anna']);
});

test('A disabled learning dashboard is hidden from everyone', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ disabledFeatures: 'learningDashboard' }));
  const { sessionToken } = sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna', role: 'MODERATOR' });
  expect(await ask(sandbox, 'learningDashboard', sessionToken)).toMatchObject({
    message: 'Learning Dashboard disabled for this meeting',
  });
});

test('Feedback is accepted as JSON with a session', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  const { sessionToken } = sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna' });
  const send = (body: object, type = 'application/json') =>
    fetch(`${sandbox.apiUrl}/feedback`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: JSON.stringify(body),
    }).then((response) => response.json());
  expect(await send({ sessionToken, rating: 4 })).toMatchObject({ response: { returncode: 'SUCCESS' } });
  expect(await send({ sessionToken: 'unknown' })).toMatchObject({ response: { returncode: 'FAILED' } });
  expect(await send({}, 'text/plain')).toMatchObject({ response: { messageKey: 'unsupportedContentType' } });
  expect(sandbox.control.state().meetings[0]?.feedback).toEqual([{ sessionToken, rating: 4 }]);
});

test("Enter returns the client's user, and refuses unknown sessions", async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ meta_course: 'x' }));
  const { sessionToken } = sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna', userID: 'a' });
  expect(await ask(sandbox, 'enter', sessionToken)).toMatchObject({
    returncode: 'SUCCESS',
    fullname: 'Anna',
    externUserID: 'a',
    role: 'VIEWER',
    metadata: [{ course: 'x' }],
  });
  expect(await ask(sandbox, 'enter', 'unknown')).toMatchObject({ returncode: 'FAILED', messageKey: 'missingSession' });
});

test('Waiting guests see their position in the lobby and their admission', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ guestPolicy: 'ASK_MODERATOR' }));
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'First', guest: true });
  const { sessionToken } = sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Second', guest: true });
  expect(await ask(sandbox, 'guestWait', sessionToken)).toMatchObject({
    messageKey: 'guestWait',
    guestStatus: 'WAIT',
    positionInWaitingQueue: '2',
  });
  sandbox.control.admitGuest({ sessionToken });
  expect(await ask(sandbox, 'guestWait', sessionToken)).toMatchObject({ guestStatus: 'ALLOW' });
});

test('A session that signs out has left', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  const { sessionToken } = sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna' });
  const response = await fetch(`${sandbox.apiUrl}/signOut?sessionToken=${sessionToken}`);
  expect(readAnswer(await response.text()).returncode).toBe('SUCCESS');
  expect(sandbox.control.state().meetings[0]?.users).toMatchObject([{ presence: 'left' }]);
});

test('The list of STUN servers requires a session', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  const { sessionToken } = sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna' });
  const stuns = async (token: string) => (await fetch(`${sandbox.apiUrl}/stuns?sessionToken=${token}`)).json();
  expect(await stuns(sessionToken)).toEqual({ stunServers: [], turnServers: [], remoteIceCandidates: [] });
  expect(await stuns('unknown')).toMatchObject({ returncode: 'FAILED' });
});

async function ask<Content>({ apiUrl }: Sandbox, call: string, sessionToken: string): Promise<Content> {
  const response = await fetch(`${apiUrl}/${call}?sessionToken=${sessionToken}`);
  return ((await response.json()) as { response: Content }).response;
}
