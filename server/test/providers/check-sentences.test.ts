import { expect, test } from 'vitest';
import { makeAuthority, startTlsServer } from './certificates.ts';
import { createTestProvider } from './fixtures.ts';
import { type Responder, callNameOf, failedXml, startRawServer, successXml, respondXml } from './raw-server.ts';
import { freePort } from '../free-port.ts';

const versionAnswer = respondXml(successXml('<version>2.0</version>'));

async function problemOf(url: string, timeoutMs = 5000): Promise<string | null> {
  return (await createTestProvider('bigbluebutton', url, { timeoutMs }).check()).problem;
}

const answers: readonly (readonly [description: string, answer: Responder, problem: string])[] = [
  [
    'a web page',
    respondXml('<!DOCTYPE html>\n<html><body>Welcome</body></html>'),
    'The server returned a web page (HTML) instead of an answer of the BigBlueButton API. Check the address: the API is usually below /bigbluebutton/api.',
  ],
  [
    'JSON',
    respondXml('{"status":"ok"}'),
    'The server did not return an answer of the BigBlueButton API. Check the address: the API is usually below /bigbluebutton/api.',
  ],
  [
    '404',
    respondXml('<html>Not Found</html>', 404),
    'The server rejected the request with HTTP status 404. Check the address: the API is usually below /bigbluebutton/api.',
  ],
  [
    '403',
    respondXml('Forbidden', 403),
    'The server rejected the request with HTTP status 403. Check that its web server and firewall allow this machine to use the API.',
  ],
  [
    '429',
    respondXml('Slow down', 429),
    'The server rejected the request with HTTP status 429. The server limits the number of requests. Raise the limit for this machine.',
  ],
  [
    '502',
    respondXml('Bad Gateway', 502),
    'The server is down behind its web server (HTTP status 502). Check its services with `bbb-conf --status`.',
  ],
  [
    'a redirect to another host',
    (response) => void response.writeHead(301, { location: 'https://new.example/x?checksum=1' }).end(),
    'The server redirects its API to https://new.example. Use that address instead.',
  ],
  [
    'a redirect to another path',
    (response) => void response.writeHead(302, { location: '/login' }).end(),
    'The server redirects its API. Check the address: the API is usually below /bigbluebutton/api.',
  ],
];

test.each(answers)(
  'the check of a server that responds with %s says how to solve the problem',
  async (_, answer, problem) => {
    const { url } = await startRawServer(answer);
    expect(await problemOf(url)).toBe(problem);
  },
);

test('a check with a wrong secret explains where to find the right secret', async () => {
  const { url } = await startRawServer((response, request) =>
    (callNameOf(request) === 'api' ? versionAnswer : respondXml(failedXml('checksumError', 'Checksums do not match')))(
      response,
      request,
    ),
  );
  expect(await createTestProvider('bigbluebutton', url).check()).toMatchObject({
    reachable: true,
    secretAccepted: false,
    problem:
      'Wrong shared secret. Copy it again from `bbb-conf --secret`, for Scalelite from its LOADBALANCER_SECRET. If it is right, choose another checksum algorithm.',
  });
});

test('a check names the host and the port that do not respond, and why', async () => {
  const port = await freePort();
  expect(await problemOf(`http://127.0.0.1:${port}`)).toBe(
    `127.0.0.1 refuses connections on port ${port}. Check the address, and that the web server runs there.`,
  );
  expect(await problemOf('https://nowhere.invalid')).toBe(
    'The host name nowhere.invalid does not exist. Check the address for typos, and the DNS entry.',
  );
  const silentServer = await startRawServer(() => {});
  expect(await problemOf(silentServer.url, 200)).toBe(
    '127.0.0.1 did not respond within 0.2 s. Check that the server runs, and that no firewall drops the connection.',
  );
  const closingServer = await startRawServer((response) => void response.socket?.destroy());
  expect(await problemOf(closingServer.url)).toMatch(
    /^127\.0\.0\.1 closed the connection on port \d+ without a complete answer\./,
  );
  const sshServer = await startRawServer((response) => void response.socket?.end('SSH-2.0-OpenSSH_9.2\r\n'));
  expect(await problemOf(sshServer.url)).toMatch(/^127\.0\.0\.1 does not speak HTTP on port \d+\. Check the port/);
  expect(await problemOf(sshServer.url.replace('http:', 'https:'))).toMatch(
    /^127\.0\.0\.1 does not speak TLS on port \d+\. Check the port/,
  );
});

test('a check reports whether a certificate is not trusted, has expired or is for another host', async () => {
  const authority = await makeAuthority('Ours');
  const dayAgo = new Date(Date.now() - 86_400_000 / 4);
  const [untrustedUrl, expiredUrl, otherHostUrl] = await Promise.all(
    [authority.issue(), authority.issue({ until: dayAgo }), authority.issue({ host: 'elsewhere.example' })].map(
      async (issued) => (await startTlsServer(await issued, versionAnswer)).url,
    ),
  );
  expect(await problemOf(untrustedUrl ?? '')).toMatch(
    /^The TLS certificate of 127\.0\.0\.1 is not trusted\. Install a certificate of a public authority .+ ca_certificate .+\.$/,
  );
  const problemWithAuthority = async (url = '') =>
    (await createTestProvider('bigbluebutton', url, { ca: authority.pem }).check()).problem;
  expect(await problemWithAuthority(expiredUrl)).toBe(
    'The TLS certificate of 127.0.0.1 has expired. Renew it on the server.',
  );
  expect(await problemWithAuthority(otherHostUrl)).toBe(
    'The TLS certificate of 127.0.0.1 is for another host (elsewhere.example). Use that name in the address, or install a certificate for 127.0.0.1.',
  );
});
