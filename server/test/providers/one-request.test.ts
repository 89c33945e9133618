import { describe, expect, test } from 'vitest';
import { meetingPlan, createTestProvider, failureOf, providerTypes } from './fixtures.ts';
import { type Responder, callOf, failed, startRawServer, success, xml } from './raw-server.ts';

const calm = xml(success('<running>true</running><version>2.0</version><meetings/>'));

const rejections: readonly (readonly [description: string, answer: Responder])[] = [
  ['414', xml('<html>Request-URI Too Large</html>', 414)],
  ['400', xml('', 400)],
  ['500', xml('<html>Internal Server Error</html>', 500)],
  ['a web page', xml('<!DOCTYPE html><html><body>Blocked</body></html>')],
  ['half an answer', xml('<response><returncode>SUCC')],
  ['FAILED', xml(failed('sizeError', 'Meeting name must be between 2 and 256 characters'))],
];

describe.each(providerTypes)('%s', (providerType) => {
  test.each(rejections)('a create that gets %s never opens the circuit breaker', async (_, answer) => {
    const { url } = await startRawServer((response, request) =>
      (callOf(request) === 'create' ? answer : calm)(response, request),
    );
    const provider = createTestProvider(providerType, url);
    for (let time = 0; time < 12; time++)
      expect((await failureOf(provider.open(meetingPlan()))).kind).toMatch(/^(?:http-error|malformed|refused)$/);
    expect(await provider.isRunning('innocent')).toBe(true);
    expect(await provider.states()).toEqual([]);
    expect(await provider.check()).toMatchObject({ reachable: true, secretAccepted: true, problem: null });
  });

  test.each([502, 503, 504])('six responses with status %i open the circuit breaker', async (status) => {
    const { url, requests } = await startRawServer(xml('', status));
    const provider = createTestProvider(providerType, url);
    for (let time = 0; time < 5; time++)
      expect(await failureOf(provider.isRunning('demo'))).toMatchObject({ kind: 'unreachable' });
    const before = requests.length;
    expect(await failureOf(provider.isRunning('demo'))).toMatchObject({ kind: 'circuit-open' });
    expect(requests).toHaveLength(before);
  });
});

test('a client error proves that no meeting was opened, a server error does not', async () => {
  const client = await startRawServer(xml('', 414));
  expect(await failureOf(createTestProvider('scalelite', client.url).open(meetingPlan()))).toMatchObject({
    mayHaveArrived: false,
  });
  const server = await startRawServer(xml('', 500));
  expect(await failureOf(createTestProvider('scalelite', server.url).open(meetingPlan()))).toMatchObject({
    mayHaveArrived: true,
  });
});

test('text tracks are requested as JSON, the only format that a server renders for them; other calls as XML', async () => {
  const accepted: Record<string, string> = {};
  const { url } = await startRawServer((response, request) => {
    const accept = request.headers.accept ?? '';
    accepted[callOf(request)] = accept;
    if (callOf(request) !== 'getRecordingTextTracks') return calm(response, request);
    if (!accept.includes('json')) return void response.writeHead(406).end();
    const tracks = [
      { href: 'https://a.example/1.vtt', kind: 'captions', lang: 'de', label: 'Deutsch', source: 'upload' },
    ];
    response.end(JSON.stringify({ response: { returncode: 'SUCCESS', tracks } }));
  });
  const provider = createTestProvider('bigbluebutton', url);
  expect(await provider.textTracks('rec')).toMatchObject([{ language: 'de', url: 'https://a.example/1.vtt' }]);
  await provider.isRunning('demo');
  expect(accepted).toEqual({
    getRecordingTextTracks: 'application/json',
    isMeetingRunning: 'text/xml, application/xml',
  });
});
