import { startSandbox } from '@foyer/sandbox';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FullMeetingProvider } from '../../src/providers/meet.ts';
import { isOutage, canRetryOnOtherProvider, type ProviderFailureKind } from '../../src/providers/provider-failure.ts';
import { meetingPlan, createTestProvider, failureOf, providerSecret, providerTypes } from './fixtures.ts';
import { type Responder, callNameOf, failedXml, startRawServer, successXml, respondXml } from './raw-server.ts';

const calls: Readonly<Record<string, (provider: FullMeetingProvider) => Promise<unknown>>> = {
  open: (provider) => provider.open(meetingPlan()),
  state: (provider) => provider.state('demo'),
  states: (provider) => provider.states(),
  isRunning: (provider) => provider.isRunning('demo'),
  end: (provider) => provider.end('demo'),
  recordings: (provider) => provider.recordings({}),
  publishRecording: (provider) => provider.publishRecording('rec', true),
  deleteRecording: (provider) => provider.deleteRecording('rec'),
  updateRecording: (provider) => provider.updateRecording('rec', { name: 'x' }),
  findRecordings: (provider) => provider.findRecordings(['rec']),
  version: (provider) => provider.version(),
};

const hang: Responder = () => {};
const drip: Responder = (response) => {
  response.writeHead(200, { 'content-type': 'text/xml' });
  const timer = setInterval(() => response.write('<!-- -->'), 20);
  response.on('close', () => clearInterval(timer));
};
const reset: Responder = (response) => void response.socket?.resetAndDestroy();
const halfAnswer: Responder = (response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('<response><returncode>SUCC', () => void response.socket?.destroy());
};
const notHttp: Responder = (response) => {
  response.socket?.end('SSH-2.0-OpenSSH_9.2\r\n');
};
const endlessAnswer: Responder = (response) => {
  response.writeHead(200, { 'content-type': 'text/xml' });
  const chunk = Buffer.alloc(256 * 1024, 'x');
  const writeMore = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', writeMore);
  writeMore();
};
const announceOversize: Responder = (response) => {
  response.writeHead(200, { 'content-length': String(33 * 1024 * 1024) });
  response.write('<response>');
};
const redirectTo =
  (location: string, status = 302): Responder =>
  (response) => {
    response.writeHead(status, { location }).end('<response><returncode>SUCCESS</returncode></response>');
  };
const html: Responder = (response) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end('<!DOCTYPE html><html><head><title>Welcome to nginx!</title></head><body><br></body></html>');
};

function repeatText(count: number, print: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => print(index)).join(' ');
}

const billionLaughs = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from(
  { length: 9 },
  (_, level) => `<!ENTITY lol${level + 1} "${`&lol${level || ''};`.repeat(10)}">`,
).join('')}]>${successXml('<running>&lol9;</running>')}`;
const externalEntity = `<?xml version="1.0"?><!DOCTYPE response [<!ENTITY x SYSTEM "file:///etc/passwd">]>${successXml('<running>&x;</running>')}`;
const lateDoctype = `<response><!DOCTYPE a [<!ENTITY b "c">]><returncode>SUCCESS</returncode></response>`;

const hostileAnswers: readonly (readonly [description: string, answer: Responder, kind: ProviderFailureKind])[] = [
  ['never answers', hang, 'timeout'],
  ['sends bytes slowly and without end', drip, 'timeout'],
  ['resets the connection', reset, 'unreachable'],
  ['closes the connection in the middle of its answer', halfAnswer, 'unreachable'],
  ['does not speak HTTP', notHttp, 'unreachable'],
  ['answers 500', respondXml('<html>Internal Server Error</html>', 500), 'http-error'],
  ['answers 502', respondXml('<html>Bad Gateway</html>', 502), 'unreachable'],
  ['answers 414', respondXml('<html>URI Too Long</html>', 414), 'http-error'],
  ['answers 503 with a valid body', respondXml(successXml('<running>true</running>'), 503), 'unreachable'],
  ['sends an endless answer', endlessAnswer, 'oversize'],
  ['announces an oversized answer', announceOversize, 'oversize'],
  [
    'redirects to another host',
    redirectTo('https://elsewhere.invalid/bigbluebutton/api/create?checksum=abc'),
    'redirected',
  ],
  ['redirects permanently', redirectTo('http://169.254.169.254/latest/meta-data', 308), 'redirected'],
  ['redirects to an invalid address', redirectTo('http://['), 'redirected'],
  ['answers with a web page', html, 'malformed'],
  ['answers 404 with a web page', respondXml('<html><body>404 Not Found</body></html>', 404), 'http-error'],
  ['answers with an empty body', respondXml(''), 'malformed'],
  ['answers with JSON', respondXml('{"response":{"returncode":"SUCCESS"}}'), 'malformed'],
  ['answers with half the XML', respondXml('<response><returncode>SUCCESS</returncode><mee'), 'malformed'],
  [
    'closes its elements in the wrong order',
    respondXml('<response><returncode>SUCCESS</returncode><a></b></response>'),
    'malformed',
  ],
  ['answers with XML of another format', respondXml('<rss version="2.0"><channel/></rss>'), 'malformed'],
  ['sends no returncode', respondXml('<response><version>2.0</version></response>'), 'malformed'],
  ['sends an unknown returncode', respondXml('<response><returncode>MAYBE</returncode></response>'), 'malformed'],
  [
    'sends two returncodes',
    respondXml('<response><returncode>SUCCESS</returncode><returncode>FAILED</returncode></response>'),
    'malformed',
  ],
  ['sends a billion laughs attack', respondXml(billionLaughs), 'malformed'],
  ['names a file as an entity', respondXml(externalEntity), 'malformed'],
  ['declares a document type late', respondXml(lateDoctype), 'malformed'],
  ['hides a document type behind a comment', respondXml(`<!-- <![CDATA[ -->${lateDoctype}<!-- ]]> -->`), 'malformed'],
  [
    'sends 200,000 attributes',
    respondXml(`<response ${repeatText(200_000, (n) => `a${n.toString(36)}="1"`)}/>`),
    'malformed',
  ],
  [
    'sends 200,000 different elements',
    respondXml(successXml(repeatText(200_000, (n) => `<a${n.toString(36)}/>`))),
    'malformed',
  ],
  ['nests without end', respondXml(`<response><returncode>SUCCESS</returncode>${'<a>'.repeat(200_000)}`), 'malformed'],
  ['opens markup without end', respondXml(`<response>${'<![CDATA['.repeat(200_000)}`), 'malformed'],
  ['opens instructions without end', respondXml(`<response>${'<? '.repeat(500_000)}`), 'malformed'],
  ['answers compressed without a request for it', (response) => response.end(gzipSync(successXml(''))), 'malformed'],
  ['sends bytes that are not text', (response) => response.end(Buffer.from([0xff, 0xfe, 0, 60])), 'malformed'],
];

describe.each(providerTypes)('%s', (providerType) => {
  test.each(hostileAnswers)('every call fails with the right error if the provider %s', async (_, answer, kind) => {
    const { url } = await startRawServer(answer);
    const timeoutMs = kind === 'timeout' ? 150 : 20_000;
    await Promise.all(
      Object.entries(calls).map(async ([name, call]) => {
        const failure = await failureOf(call(createTestProvider(providerType, url, { timeoutMs })));
        expect([name, failure.kind]).toEqual([name, kind]);
        expect(failure.providerId).toBe('provider-1');
        expect(canRetryOnOtherProvider(failure)).toBe(true);
        expect([kind, isOutage(failure)]).toEqual([kind, !['http-error', 'malformed', 'oversize'].includes(kind)]);
        expectNoSecret(failure, url);
      }),
    );
  });

  test.each(hostileAnswers)(
    'a check reports a provider that %s, without throwing an error',
    async (_, answer, kind) => {
      const { url } = await startRawServer(answer);
      const provider = createTestProvider(providerType, url, { timeoutMs: kind === 'timeout' ? 150 : 5000 });
      const result = await provider.check();
      expect(result).toEqual({
        reachable: false,
        apiVersion: null,
        secretAccepted: null,
        latencyMs: null,
        dateMs: null,
        problem: expect.stringMatching(/^(?:The server|127\.0\.0\.1) .+\. .+\.$/),
      });
      expectNoSecret(result.problem, url);
    },
  );

  test('a provider that does not listen is reported as unreachable', async () => {
    const sandbox = await startSandbox();
    await sandbox.close();
    for (const call of Object.values(calls))
      expect(await failureOf(call(createTestProvider(providerType, sandbox.url)))).toMatchObject({
        kind: 'unreachable',
      });
    expect(await failureOf(createTestProvider(providerType, 'https://nowhere.invalid').states())).toMatchObject({
      kind: 'unreachable',
      message: 'The host name nowhere.invalid does not exist. Check the address for typos, and the DNS entry.',
    });
  });

  test('an answer that contains only SUCCESS is malformed', async () => {
    const { url } = await startRawServer(respondXml(successXml('')));
    for (const name of ['open', 'state', 'isRunning'])
      expect(await failureOf(calls[name]?.(createTestProvider(providerType, url)) ?? Promise.resolve())).toMatchObject({
        kind: 'malformed',
      });
    for (const name of ['publishRecording', 'deleteRecording'])
      expect(await failureOf(calls[name]?.(createTestProvider(providerType, url)) ?? Promise.resolve())).toMatchObject({
        messageKey: 'notDone',
      });
  });

  test('the state of another meeting is not accepted as the state of the requested meeting', async () => {
    const { url } = await startRawServer(
      respondXml(
        successXml('<meetingID>other</meetingID><createTime>1763632800000</createTime><running>true</running>'),
      ),
    );
    expect(await failureOf(createTestProvider(providerType, url).state('demo'))).toMatchObject({ kind: 'malformed' });
  });

  test('a secret or signed address that the provider echoes is not passed on', async () => {
    const { url } = await startRawServer((response, request) => {
      const checksum = new URL(request.url ?? '', 'http://localhost').searchParams.get('checksum');
      respondXml(
        failedXml(
          `no-${providerSecret}`,
          `${checksum} for ${url}${request.url?.replaceAll('&', '&amp;')} is not ${providerSecret}`,
        ),
      )(response, request);
    });
    for (const call of Object.values(calls)) {
      const failure = await failureOf(call(createTestProvider(providerType, url)));
      expect(failure.kind).toBe('refused');
      expectNoSecret(failure, url);
    }
  });

  test.each([
    ['one element', failedXml('someKey', 'Some &amp; message')],
    [
      'a list',
      '<response><returncode>FAILED</returncode><errors><error><key>someKey</key><message>Some &#38; message</message></error><error><key>other</key></error></errors></response>',
    ],
    [
      'attributes',
      '<response><returncode>FAILED</returncode><errors><error key="someKey" message="Some &amp; message"/></errors></response>',
    ],
    [
      'CDATA',
      '<response><returncode>FAILED</returncode><messageKey><![CDATA[someKey]]></messageKey><message><![CDATA[Some & message]]></message></response>',
    ],
  ])('an error that is sent as %s is read', async (_, body) => {
    const { url } = await startRawServer(respondXml(body));
    expect(await failureOf(createTestProvider(providerType, url).states())).toMatchObject({
      kind: 'refused',
      messageKey: 'someKey',
      message: 'Some & message',
    });
  });

  test('a call whose connection fails is retried exactly once', async () => {
    let requestCount = 0;
    const failingOnce = await startRawServer((response, request) => {
      if (requestCount++ === 0) reset(response, request);
      else respondXml(successXml('<running>true</running>'))(response, request);
    });
    expect(await createTestProvider(providerType, failingOnce.url).isRunning('demo')).toBe(true);
    expect(failingOnce.requests).toHaveLength(2);
    const failingAlways = await startRawServer(reset);
    await failureOf(createTestProvider(providerType, failingAlways.url).isRunning('demo'));
    expect(failingAlways.requests).toHaveLength(2);
  });

  test.each([
    ['errors', respondXml(failedXml('someKey', 'No'))],
    ['web pages', html],
    ['redirects', redirectTo('https://elsewhere.invalid/')],
  ])('requests that are answered with %s are not repeated', async (_, answer) => {
    const { url, requests } = await startRawServer(answer);
    await failureOf(createTestProvider(providerType, url).isRunning('demo'));
    expect(requests).toHaveLength(1);
  });

  test('no participant name can corrupt the state', async () => {
    const name = '<!DOCTYPE a [<!ENTITY b "c">]> &lt;';
    const meeting = `<meetingID>demo</meetingID><internalMeetingID>x-1</internalMeetingID><createTime>1</createTime>
      <running>true</running><attendees><attendee><userID>007</userID><fullName><![CDATA[${name}]]></fullName></attendee></attendees>
      <metadata><format>true</format><meeting>1e3</meeting><constructor>x</constructor><prototype>y</prototype></metadata>`;
    const { url } = await startRawServer((response, request) =>
      respondXml(
        successXml(
          callNameOf(request) === 'getMeetings' ? `<meetings><meeting>${meeting}</meeting></meetings>` : meeting,
        ),
      )(response, request),
    );
    const provider = createTestProvider(providerType, url);
    const state = await provider.state('demo');
    expect(state.attendees).toEqual([{ userId: '007', fullName: name, isModerator: false }]);
    expect(state.metadata).toMatchObject({ format: 'true', meeting: '1e3' });
    expect(await provider.states()).toEqual([state]);
  });

  test('breakout rooms are not listed as meetings', async () => {
    const meetingXml = (id: string, isBreakout: boolean) =>
      `<meeting><meetingID>${id}</meetingID><createTime>1</createTime><running>true</running><isBreakout>${isBreakout}</isBreakout></meeting>`;
    const { url } = await startRawServer(
      respondXml(successXml(`<meetings>${meetingXml('demo', false)}${meetingXml('breakout', true)}</meetings>`)),
    );
    expect((await createTestProvider(providerType, url).states()).map(({ meetingId }) => meetingId)).toEqual(['demo']);
  });

  test('a meeting that is just ending is not opened', async () => {
    const ending =
      '<internalMeetingID>x-1</internalMeetingID><createTime>1</createTime><hasBeenForciblyEnded>true</hasBeenForciblyEnded>';
    const { url } = await startRawServer(respondXml(successXml(ending)));
    expect(await failureOf(createTestProvider(providerType, url).open(meetingPlan()))).toMatchObject({
      kind: 'refused',
      messageKey: 'meetingForciblyEnded',
    });
  });

  test('a recording that the provider does not change is reported as refused, and deleting a missing recording succeeds', async () => {
    const { url } = await startRawServer((response, request) =>
      respondXml(
        callNameOf(request) === 'deleteRecordings'
          ? failedXml('notFound', 'We could not find recordings')
          : successXml('<published>false</published>'),
      )(response, request),
    );
    const provider = createTestProvider(providerType, url);
    expect(await failureOf(provider.publishRecording('rec', true))).toMatchObject({
      kind: 'refused',
      messageKey: 'notDone',
    });
    await expect(provider.publishRecording('rec', false)).resolves.toBeUndefined();
    await expect(provider.deleteRecording('rec')).resolves.toBeUndefined();
  });

  test('broken recordings and invalid addresses are omitted', async () => {
    const { url } = await startRawServer(
      respondXml(
        successXml(`<recordings><recording><error><recordID>x</recordID></error></recording><recording>
          <recordID>rec-1</recordID><meetingID>007</meetingID><published>true</published>
          <playback><format><type>video</type><url> https://a.example/1?a=1&amp;b=2 </url><length>3</length></format>
          <format><type>notes</type><url>javascript:alert(1)</url></format></playback></recording></recordings>`),
      ),
    );
    expect(await createTestProvider(providerType, url).recordings({})).toEqual([
      {
        recordingId: 'rec-1',
        meetingId: '007',
        internalId: 'rec-1',
        name: '',
        state: 'published',
        published: true,
        startedAtMs: null,
        endedAtMs: null,
        participantCount: null,
        sizeBytes: null,
        isSizeEstimated: false,
        problem: null,
        metadata: {},
        isProtected: false,
        playback: [{ type: 'video', url: 'https://a.example/1?a=1&b=2', lengthMinutes: 3 }],
      },
    ]);
    expect((await createTestProvider(providerType, url).findRecordings(['x', 'rec-1', 'y'])).brokenIds).toEqual(['x']);
  });
});

test('every fault that the sandbox can inject is handled', async () => {
  const sandbox = await startSandbox({ secrets: [providerSecret] });
  onTestFinished(() => sandbox.close());
  const kinds = {
    'connection-reset': 'unreachable',
    'http-error': 'http-error',
    'html-page': 'malformed',
    'truncated-xml': 'malformed',
    'malformed-xml': 'malformed',
    'wrong-content': 'malformed',
    oversize: 'oversize',
    redirect: 'redirected',
    hang: 'timeout',
  } as const;
  for (const [fault, kind] of Object.entries(kinds)) {
    sandbox.control.injectFault({ kind: fault as keyof typeof kinds, times: 2, call: 'isMeetingRunning' });
    const provider = createTestProvider('bigbluebutton', sandbox.url, { timeoutMs: fault === 'hang' ? 150 : 5000 });
    expect([fault, (await failureOf(provider.isRunning('demo'))).kind]).toEqual([fault, kind]);
    sandbox.control.clearFaults();
  }
});

test('a meeting whose first answer was lost is found by the second attempt', async () => {
  const sandbox = await startSandbox({ secrets: [providerSecret] });
  onTestFinished(() => sandbox.close());
  sandbox.control.injectFault({ kind: 'connection-reset', call: 'create', applied: true });
  expect(await createTestProvider('bigbluebutton', sandbox.url).open(meetingPlan())).toMatchObject({ wasOpen: true });
  expect(sandbox.control.state().meetings).toHaveLength(1);
});

function expectNoSecret(output: unknown, url: string): void {
  const outputs =
    output instanceof Error
      ? [output.message, output.stack, output.cause, JSON.stringify(output), String(output)]
      : [output];
  const text = outputs.join('\n');
  expect(text).not.toContain(providerSecret);
  expect(text).not.toMatch(/checksum=/);
  expect(text).not.toMatch(/\b[0-9a-f]{64}\b/);
  expect(text).not.toContain(url);
}
