import { expect, test } from 'vitest';
import type { Sandbox } from '../src/index.ts';
import { demoMeeting, startTestSandbox } from './running-sandbox.ts';
import { type Caller, elementOrder, readAnswer } from './signed-call.ts';

const anna = { meetingID: 'demo', fullName: 'Anna', redirect: 'false' };

test('Joining without redirection registers a user and hands over the session', async () => {
  const { sandbox, api } = await meetingWith({});
  const { xml, elements } = await api.call('join', { ...anna, role: 'MODERATOR', userID: 'u1' });
  expect(elementOrder(xml)).toEqual([
    'returncode',
    'messageKey',
    'message',
    'meeting_id',
    'user_id',
    'auth_token',
    'session_token',
    'guestStatus',
    'url',
  ]);
  expect(elements).toMatchObject({
    messageKey: 'successfullyJoined',
    guestStatus: 'ALLOW',
    meeting_id: sandbox.control.state().meetings[0]?.internalMeetingID,
    url: `${sandbox.url}/html5client/join?sessionToken=${String(elements['session_token'])}`,
  });
  const info = await api.call('getMeetingInfo', { meetingID: 'demo' });
  expect(info.elements).toMatchObject({ running: 'false', participantCount: '0' });
});

test('Joining in a browser leads to the client page', async () => {
  const { sandbox, api } = await meetingWith({});
  const response = await visit(api, { ...anna, redirect: 'true', role: 'viewer' });
  expect(response.status).toBe(302);
  expect(response.headers.get('location')).toMatch(
    new RegExp(`^${sandbox.url}/html5client/join\\?sessionToken=[a-z0-9]{16}$`),
  );
});

test.each<[string, Record<string, string>, string]>([
  ['the role, in any case', { role: 'Moderator' }, 'MODERATOR'],
  ['the moderator password', { password: 'mp' }, 'MODERATOR'],
  ['the attendee password', { password: 'ap' }, 'VIEWER'],
  ['the role rather than the password', { role: 'VIEWER', password: 'mp' }, 'VIEWER'],
  ['the password when the role is unknown', { role: 'KING', password: 'mp' }, 'MODERATOR'],
])('The role of the user is determined by %s', async (_case, parameters, role) => {
  const { sandbox, api } = await meetingWith({});
  expect((await api.call('join', { ...anna, ...parameters })).returncode).toBe('SUCCESS');
  expect(sandbox.control.state().meetings[0]?.users[0]?.role).toBe(role);
});

test.each<[string, Record<string, string>, string]>([
  ['no meeting id', { meetingID: '' }, 'missingParamMeetingID'],
  ['an unknown meeting', { meetingID: 'unknown' }, 'invalidMeetingIdentifier'],
  ['no name', { fullName: ' ' }, 'missingParamFullName'],
  ['the createTime of another meeting', { createTime: '1' }, 'mismatchCreateTimeParam'],
  ['a createTime that is no number', { createTime: 'soon' }, 'validationError'],
  ['a guest flag that is no boolean', { guest: 'maybe' }, 'validationError'],
  ['an auth flag that is no boolean', { auth: 'maybe' }, 'validationError'],
  ['a wrong password', { role: '', password: 'wrong' }, 'Params required'],
  ['neither role nor password', { role: '' }, 'Params required'],
  ['a password of one character', { password: 'x' }, 'invalidPassword'],
])('Joining is refused with %s', async (_case, change, messageKey) => {
  const { sandbox, api } = await meetingWith({});
  const answer = await api.call('join', { ...anna, role: 'VIEWER', ...change });
  expect(answer).toMatchObject({ returncode: 'FAILED', messageKey });
  expect(sandbox.control.state().meetings[0]?.users).toEqual([]);
});

test('The right createTime is accepted', async () => {
  const { api, createTime } = await meetingWith({});
  expect((await api.call('join', { ...anna, role: 'VIEWER', createTime })).returncode).toBe('SUCCESS');
});

test('Joins of an ended meeting are rejected as ended, and later as unknown', async () => {
  const { sandbox, api } = await meetingWith({});
  await api.call('end', { meetingID: 'demo' });
  const request = { ...anna, role: 'VIEWER' };
  expect((await api.call('join', request)).messageKey).toBe('meetingForciblyEnded');
  sandbox.control.advanceClock(5_000);
  expect((await api.call('join', request)).messageKey).toBe('invalidMeetingIdentifier');
});

test('A refused browser is sent to errorRedirectUrl with the reasons', async () => {
  const { api } = await meetingWith({ logoutURL: 'https://example.com/bye' });
  const response = await visit(api, {
    meetingID: 'unknown',
    fullName: 'Anna',
    role: 'VIEWER',
    errorRedirectUrl: 'https://example.com/oops?a=1#top',
  });
  expect(response.status).toBe(302);
  const location = response.headers.get('location') ?? '';
  expect(location.startsWith('https://example.com/oops?a=1&errors=')).toBe(true);
  expect(JSON.parse(new URL(location).searchParams.get('errors') ?? '')).toEqual([
    {
      key: 'invalidMeetingIdentifier',
      message: 'The meeting ID that you supplied did not match any existing meetings',
    },
  ]);
});

test('Without errorRedirectUrl, a refused browser is sent to the logout address of the meeting', async () => {
  const { api } = await meetingWith({ logoutURL: 'https://example.com/bye' });
  const response = await visit(api, { ...anna, redirect: '', createTime: '1', role: 'VIEWER' });
  expect(response.headers.get('location')).toMatch(/^https:\/\/example\.com\/bye\?errors=/);
});

test('Without any redirect address, the page of the server shows the reason', async () => {
  const { sandbox, api } = await meetingWith({});
  const response = await visit(api, { ...anna, redirect: '', createTime: '1', role: 'VIEWER' });
  const location = response.headers.get('location') ?? '';
  expect(location.startsWith(`${sandbox.url}/bigbluebutton/?errors=`)).toBe(true);
  const page = await (await fetch(location)).text();
  expect(page).toContain('The createTime parameter submitted mismatches');
});

test.each(['false', 'FALSE', 'no'])('redirect=%s returns XML, also for refusals', async (redirect) => {
  const { api } = await meetingWith({});
  expect((await api.call('join', { ...anna, redirect, role: 'VIEWER' })).returncode).toBe('SUCCESS');
  const refused = await api.call('join', { ...anna, redirect, role: 'VIEWER', createTime: '1' });
  expect(refused.messageKey).toBe('mismatchCreateTimeParam');
});

test('A wrong password is answered in XML even to browsers', async () => {
  const { api } = await meetingWith({});
  const response = await visit(api, { ...anna, redirect: 'true', password: 'wrong' });
  expect(response.status).toBe(200);
  expect(readAnswer(await response.text()).messageKey).toBe('Params required');
});

test('Without a valid checksum errorRedirectUrl is ignored', async () => {
  const { sandbox } = await meetingWith({});
  const response = await fetch(
    `${sandbox.apiUrl}/join?meetingID=demo&errorRedirectUrl=https://evil.example&checksum=${'0'.repeat(64)}`,
    { redirect: 'manual' },
  );
  expect(response.status).toBe(302);
  expect(response.headers.get('location')?.startsWith(`${sandbox.url}/bigbluebutton/?errors=`)).toBe(true);
});

interface PolicyCase {
  policy: string;
  user: Record<string, string>;
  status: 'ALLOW' | 'WAIT' | 'DENY';
}

const policies: PolicyCase[] = [
  { policy: 'ALWAYS_ACCEPT', user: { role: 'VIEWER', guest: 'true' }, status: 'ALLOW' },
  { policy: 'ALWAYS_DENY', user: { role: 'VIEWER' }, status: 'DENY' },
  { policy: 'ALWAYS_DENY', user: { role: 'VIEWER', guest: 'true' }, status: 'DENY' },
  { policy: 'ALWAYS_DENY', user: { role: 'MODERATOR', guest: 'true' }, status: 'ALLOW' },
  { policy: 'ASK_MODERATOR', user: { role: 'MODERATOR' }, status: 'ALLOW' },
  { policy: 'ASK_MODERATOR', user: { role: 'VIEWER' }, status: 'WAIT' },
  { policy: 'ASK_MODERATOR', user: { role: 'VIEWER', guest: 'true' }, status: 'WAIT' },
  { policy: 'ASK_MODERATOR', user: { role: 'VIEWER', auth: 'false' }, status: 'ALLOW' },
  { policy: 'ASK_MODERATOR', user: { role: 'VIEWER', guest: 'false' }, status: 'ALLOW' },
  { policy: 'ALWAYS_ACCEPT_AUTH', user: { role: 'VIEWER' }, status: 'ALLOW' },
  { policy: 'ALWAYS_ACCEPT_AUTH', user: { role: 'VIEWER', guest: 'true' }, status: 'WAIT' },
];

test.each(policies)(
  'With the guest policy $policy, $user gets the status $status',
  async ({ policy, user, status }) => {
    const { api } = await meetingWith({ guestPolicy: policy });
    const answer = await api.call('join', { ...anna, ...user });
    if (status === 'DENY') expect(answer.messageKey).toBe('guestDeniedAccess');
    else expect(answer.elements['guestStatus']).toBe(status);
  },
);

test.each<PolicyCase>([
  { policy: 'ALWAYS_DENY', user: { role: 'VIEWER' }, status: 'ALLOW' },
  { policy: 'ALWAYS_DENY', user: { role: 'VIEWER', guest: 'true' }, status: 'DENY' },
  { policy: 'ASK_MODERATOR', user: { role: 'VIEWER' }, status: 'ALLOW' },
  { policy: 'ASK_MODERATOR', user: { role: 'VIEWER', guest: 'true' }, status: 'WAIT' },
  {
    policy: 'ALWAYS_ACCEPT_AUTH',
    user: { role: 'VIEWER', guest: 'true', auth: 'true' },
    status: 'ALLOW',
  },
  { policy: 'ALWAYS_ACCEPT_AUTH', user: { role: 'VIEWER', guest: 'true' }, status: 'WAIT' },
])(
  'Without authenticatedGuest and with the guest policy $policy, $user gets the status $status',
  async ({ policy, user, status }) => {
    const { api } = await meetingWith({ guestPolicy: policy }, false);
    const answer = await api.call('join', { ...anna, ...user });
    if (status === 'DENY') expect(answer.messageKey).toBe('guestDeniedAccess');
    else expect(answer.elements['guestStatus']).toBe(status);
  },
);

test('A guest who waits is sent to the lobby', async () => {
  const { api } = await meetingWith({ guestPolicy: 'ASK_MODERATOR' });
  const { elements } = await api.call('join', { ...anna, role: 'VIEWER', guest: 'true' });
  expect(elements['messageKey']).toBe('guestWait');
  expect(elements['url']).toContain('/html5client/guestWait?sessionToken=');
});

test('A full meeting refuses new users, but its participants may rejoin', async () => {
  const { sandbox, api } = await meetingWith({ maxParticipants: '2' });
  for (const userID of ['u1', 'u2']) {
    sandbox.control.joinUser({ meetingID: 'demo', fullName: userID, userID });
  }
  const viewer = { ...anna, role: 'VIEWER' };
  expect((await api.call('join', { ...viewer, userID: 'u3' })).messageKey).toBe('maxParticipantsReached');
  expect((await api.call('join', { ...viewer, userID: 'u2' })).returncode).toBe('SUCCESS');
  sandbox.control.leaveUser({ meetingID: 'demo', userID: 'u1' });
  expect((await api.call('join', { ...viewer, userID: 'u3' })).returncode).toBe('SUCCESS');
});

test('Only users whose client has connected count against the limit', async () => {
  const { api } = await meetingWith({ maxParticipants: '1' });
  const viewer = { ...anna, role: 'VIEWER' };
  await api.call('join', { ...viewer, userID: 'u1' });
  expect((await api.call('join', { ...viewer, userID: 'u2' })).returncode).toBe('SUCCESS');
});

test('Custom data of a user are part of the meeting info', async () => {
  const { sandbox, api } = await meetingWith({});
  const { elements } = await api.call('join', {
    ...anna,
    role: 'VIEWER',
    'userdata-bbb_client_title': 'A & B',
    'userdata-<x>': 'never an element',
  });
  sandbox.control.joinUser({ sessionToken: String(elements['session_token']) });
  const info = await api.call('getMeetingInfo', { meetingID: 'demo' });
  expect(info.elements['attendees']).toMatchObject({
    attendee: [{ customdata: { bbb_client_title: 'A & B' } }],
  });
});

async function meetingWith(
  parameters: Record<string, string>,
  authenticatedGuest = true,
): Promise<{ sandbox: Sandbox; api: Caller; createTime: string }> {
  const { sandbox, api } = await startTestSandbox({ authenticatedGuest });
  const { elements } = await api.call('create', demoMeeting(parameters));
  return { sandbox, api, createTime: String(elements['createTime']) };
}

function visit(api: Caller, parameters: Record<string, string>): Promise<Response> {
  return fetch(api.url('join', parameters), { redirect: 'manual' });
}

test.each([
  [3, ['w2', 'w3', 'w4']],
  [1, ['w4']],
  [0, ['w1', 'w2', 'w3', 'w4']],
])('With a limit of %i sessions for one user id (0: none) the oldest are ejected', async (limit, remaining) => {
  const { sandbox, api } = await startTestSandbox({ maxUserConcurrentAccesses: limit });
  await api.call('create', demoMeeting({ maxUserConcurrentAccesses: '2' }));
  for (const fullName of ['w1', 'w2', 'w3', 'w4']) {
    await enterAs(sandbox, api, { fullName, userID: 'u1' });
    await enterAs(sandbox, api, { fullName: `other ${fullName}`, userID: fullName });
  }
  const users = sandbox.control.state().meetings[0]?.users ?? [];
  const joined = users.filter(({ presence, userID }) => presence === 'joined' && userID === 'u1');
  expect(joined.map(({ fullName }) => fullName)).toEqual(remaining);
  const info = await api.call('getMeetingInfo', { meetingID: 'demo' });
  expect(info.elements['participantCount']).toBe(String(remaining.length + 4));
});

test('An ejected session cannot join again', async () => {
  const { sandbox, api } = await startTestSandbox({ maxUserConcurrentAccesses: 1 });
  await api.call('create', demoMeeting());
  const first = await enterAs(sandbox, api, { fullName: 'Anna', userID: 'u1' });
  await api.call('join', { ...anna, role: 'VIEWER', userID: 'u1' });
  sandbox.control.joinUser({ sessionToken: first });
  expect((await api.call('isMeetingRunning', { meetingID: 'demo' })).elements['running']).toBe('false');
  const page = await fetch(`${sandbox.url}/html5client/join?sessionToken=${first}`);
  expect(page.status).toBe(403);
  expect(await page.text()).toContain('so this one was disconnected');
  const enter = await fetch(`${sandbox.apiUrl}/enter?sessionToken=${first}`);
  expect(await enter.json()).toMatchObject({ response: { messageKey: 'missingSession' } });
});

test('User settings of a join are stored, and the logout address of the user takes precedence over that of the meeting', async () => {
  const { sandbox, api } = await meetingWith({ logoutURL: 'http://meeting.example/' });
  const preferences = {
    logoutURL: 'http://user.example/',
    enforceLayout: 'VIDEO_FOCUS',
    avatarURL: 'http://user.example/a.png',
    webcamBackgroundURL: 'http://user.example/b.png',
  };
  const session = async (more: Record<string, string>) =>
    String((await api.call('join', { ...anna, role: 'VIEWER', ...more })).elements['session_token']);
  const first = await session({ ...preferences, excludeFromDashboard: 'true' });
  const second = await session({});
  const enter = async (sessionToken: string): Promise<unknown> =>
    (await fetch(`${sandbox.apiUrl}/enter?sessionToken=${sessionToken}`)).json();
  const { logoutURL: logoutUrl, ...others } = preferences;
  expect(await enter(first)).toMatchObject({ response: { logoutUrl, ...others } });
  expect(await enter(second)).toMatchObject({ response: { logoutUrl: 'http://meeting.example/', enforceLayout: '' } });
  expect(sandbox.control.state().meetings[0]?.users).toMatchObject([
    { preferences: { ...preferences, excludeFromDashboard: true } },
    { preferences: { excludeFromDashboard: false } },
  ]);
  for (const [sessionToken, address] of [
    [first, 'http://user.example/'],
    [second, 'http://meeting.example/'],
  ]) {
    const page = await fetch(`${sandbox.url}/html5client/left?sessionToken=${sessionToken}`);
    expect(await page.text()).toContain(`href="${address}"`);
  }
});

async function enterAs(sandbox: Sandbox, api: Caller, user: { fullName: string; userID: string }): Promise<string> {
  const { elements } = await api.call('join', { ...anna, role: 'VIEWER', ...user });
  const sessionToken = String(elements['session_token']);
  sandbox.control.joinUser({ sessionToken });
  return sessionToken;
}
