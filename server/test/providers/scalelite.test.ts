import { startSandbox } from '@foyer/sandbox';
import { expect, onTestFinished, test } from 'vitest';
import { meetingPlan, createTestProvider, failureOf, providerSecret } from './fixtures.ts';
import { failedXml, startRawServer, successXml, respondXml } from './raw-server.ts';

test('the capabilities of a load balancer show what it does not support', () => {
  expect(createTestProvider('scalelite', 'https://balancer.example')).toMatchObject({
    type: 'scalelite',
    capabilities: {
      hooks: false,
      sendChatMessage: false,
      textTracks: false,
      redirectFalse: false,
      recordingPagination: false,
      sha384: false,
      adminApi: true,
    },
  });
  expect(createTestProvider('bigbluebutton', 'https://server.example')).toMatchObject({
    type: 'bigbluebutton',
    capabilities: { hooks: true, redirectFalse: true, recordingPagination: true, sha384: true, adminApi: false },
  });
});

test('a join URL never requests XML from a load balancer', () => {
  const entry = createTestProvider('scalelite', 'https://balancer.example').joinUrlFor(
    { meetingId: 'demo', internalId: 'demo-1', createdAtMs: 1 },
    { userId: 'u', fullName: 'Anna', role: 'guest' },
  );
  expect(new URL(entry).searchParams.has('redirect')).toBe(false);
});

test.each(['serverUnavailable', 'serverTagUnavailable', 'internalError'])(
  'the answer %s is an outage, so that another provider is tried',
  async (key) => {
    const { url } = await startRawServer(respondXml(failedXml(key, 'No server')));
    const provider = createTestProvider('scalelite', url);
    for (const call of [
      provider.open(meetingPlan()),
      provider.state('x'),
      provider.states(),
      provider.end('x'),
      provider.recordings({}),
    ])
      expect(await failureOf(call)).toMatchObject({ kind: 'unreachable', messageKey: key });
  },
);

test('a disabled list of meetings is empty; a disabled list of recordings fails instead of being empty', async () => {
  const disabledServer = await startRawServer(
    respondXml(failedXml('unsupportedRequest', 'This request is not supported.')),
  );
  expect(await createTestProvider('scalelite', disabledServer.url).states()).toEqual([]);
  expect(await failureOf(createTestProvider('scalelite', disabledServer.url).recordings({}))).toMatchObject({
    kind: 'refused',
  });
  expect(await failureOf(createTestProvider('bigbluebutton', disabledServer.url).states())).toMatchObject({
    kind: 'refused',
  });
  const emptyServer = await startRawServer(
    respondXml(successXml('<messageKey>noMeetings</messageKey><meetings/><recordings/>')),
  );
  expect(await createTestProvider('scalelite', emptyServer.url).states()).toEqual([]);
  expect(await createTestProvider('scalelite', emptyServer.url).recordings({})).toEqual([]);
});

test('the root of a load balancer returns only its version', async () => {
  const root = '<response><returncode>SUCCESS</returncode><version>2.0</version><build>1.6.1</build></response>';
  const { url } = await startRawServer(respondXml(root));
  expect(await createTestProvider('scalelite', url).check()).toMatchObject({ reachable: true, apiVersion: '2.0' });
});

test('a meeting is opened by GET with parameters of 6,000 bytes at most; longer requests are not sent', async () => {
  const sandbox = await startSandbox({ secrets: [providerSecret] });
  onTestFinished(() => sandbox.close());
  const provider = createTestProvider('scalelite', sandbox.url);
  await provider.open(meetingPlan({ settings: { welcome_message: 'w'.repeat(5500) } }));
  expect(sandbox.control.calls()).toMatchObject([{ call: 'create', method: 'GET' }]);
  const failure = await failureOf(provider.open(meetingPlan({ settings: { welcome_message: '€'.repeat(1000) } })));
  expect(failure).toMatchObject({
    kind: 'too-long',
    mayHaveArrived: false,
    message: expect.stringMatching(/^The texts of the room are \d+ bytes too long for Scalelite\./),
  });
  expect(sandbox.control.calls()).toHaveLength(1);
});

test('a load balancer without a server for new meetings is an outage, and it can be used again when it has a server', async () => {
  const sandbox = await startSandbox({ secrets: [providerSecret], scalelite: {} });
  onTestFinished(() => sandbox.close());
  const provider = createTestProvider('scalelite', sandbox.url);
  const firstMeeting = await provider.open(meetingPlan({ meetingId: 'before' }));
  sandbox.control.setServer('cordoned', true);
  expect(await failureOf(provider.open(meetingPlan({ meetingId: 'after' })))).toMatchObject({ kind: 'unreachable' });
  expect(await provider.state('before')).toMatchObject({ exists: true, internalId: firstMeeting.internalId });
  expect(await provider.states()).toHaveLength(1);
  sandbox.control.setServer('enabled', true);
  expect(await provider.open(meetingPlan({ meetingId: 'after' }))).toMatchObject({ wasOpen: false });
});

test("if a load balancer's list of meetings is disabled, each meeting is requested separately", async () => {
  const sandbox = await startSandbox({ secrets: [providerSecret], scalelite: { getMeetingsDisabled: true } });
  onTestFinished(() => sandbox.close());
  const provider = createTestProvider('scalelite', sandbox.url);
  const { meetingId } = await provider.open(meetingPlan());
  expect(await provider.states()).toEqual([]);
  expect(await provider.state(meetingId)).toMatchObject({ exists: true });
});
