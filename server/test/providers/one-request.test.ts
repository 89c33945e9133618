import { describe, expect, test } from 'vitest';
import { meetingPlan, createTestProvider, failureOf, providerTypes } from './fixtures.ts';
import { type Responder, callNameOf, failedXml, startRawServer, successXml, respondXml } from './raw-server.ts';

const healthyAnswer = respondXml(successXml('<running>true</running><version>2.0</version><meetings/>'));

const rejections: readonly (readonly [description: string, answer: Responder])[] = [
  ['414', respondXml('<html>Request-URI Too Large</html>', 414)],
  ['400', respondXml('', 400)],
  ['500', respondXml('<html>Internal Server Error</html>', 500)],
  ['a web page', respondXml('<!DOCTYPE html><html><body>Blocked</body></html>')],
  ['half an answer', respondXml('<response><returncode>SUCC')],
  ['FAILED', respondXml(failedXml('sizeError', 'Meeting name must be between 2 and 256 characters'))],
];

describe.each(providerTypes)('%s', (providerType) => {
  test.each(rejections)('a create call that is answered with %s never opens the circuit breaker', async (_, answer) => {
    const { url } = await startRawServer((response, request) =>
      (callNameOf(request) === 'create' ? answer : healthyAnswer)(response, request),
    );
    const provider = createTestProvider(providerType, url);
    for (let attempt = 0; attempt < 12; attempt++)
      expect((await failureOf(provider.open(meetingPlan()))).kind).toMatch(/^(?:http-error|malformed|refused)$/);
    expect(await provider.isRunning('innocent')).toBe(true);
    expect(await provider.states()).toEqual([]);
    expect(await provider.check()).toMatchObject({ reachable: true, secretAccepted: true, problem: null });
  });

  test.each([502, 503, 504])('six responses with status %i open the circuit breaker', async (status) => {
    const { url, requests } = await startRawServer(respondXml('', status));
    const provider = createTestProvider(providerType, url);
    for (let attempt = 0; attempt < 5; attempt++)
      expect(await failureOf(provider.isRunning('demo'))).toMatchObject({ kind: 'unreachable' });
    const before = requests.length;
    expect(await failureOf(provider.isRunning('demo'))).toMatchObject({ kind: 'circuit-open' });
    expect(requests).toHaveLength(before);
  });
});

test('a client error proves that no meeting was opened, and a server error does not prove it', async () => {
  const clientErrorServer = await startRawServer(respondXml('', 414));
  expect(await failureOf(createTestProvider('scalelite', clientErrorServer.url).open(meetingPlan()))).toMatchObject({
    mayHaveArrived: false,
  });
  const serverErrorServer = await startRawServer(respondXml('', 500));
  expect(await failureOf(createTestProvider('scalelite', serverErrorServer.url).open(meetingPlan()))).toMatchObject({
    mayHaveArrived: true,
  });
});

test('text tracks are requested as JSON, the only format that a server renders for them; other calls as XML', async () => {
  const acceptHeaders: Record<string, string> = {};
  const { url } = await startRawServer((response, request) => {
    const accept = request.headers.accept ?? '';
    acceptHeaders[callNameOf(request)] = accept;
    if (callNameOf(request) !== 'getRecordingTextTracks') return healthyAnswer(response, request);
    if (!accept.includes('json')) return void response.writeHead(406).end();
    const tracks = [
      { href: 'https://a.example/1.vtt', kind: 'captions', lang: 'de', label: 'Deutsch', source: 'upload' },
    ];
    response.end(JSON.stringify({ response: { returncode: 'SUCCESS', tracks } }));
  });
  const provider = createTestProvider('bigbluebutton', url);
  expect(await provider.textTracks('rec')).toMatchObject([{ language: 'de', url: 'https://a.example/1.vtt' }]);
  await provider.isRunning('demo');
  expect(acceptHeaders).toEqual({
    getRecordingTextTracks: 'application/json',
    isMeetingRunning: 'text/xml, application/xml',
  });
});
