import { beforeAll, describe, expect, test } from 'vitest';
import { parseCaCertificate } from '../../src/providers/ca-certificate.ts';
import { isOutage } from '../../src/providers/provider-failure.ts';
import { type Authority, makeAuthority, tlsServer } from './certificates.ts';
import { createTestRegistry, failureOf, providerSecret, providerTypes } from './fixtures.ts';
import { startRawServer, success, xml } from './raw-server.ts';

const dayMs = 86_400_000;
const answer = xml(success('<running>true</running><version>2.0</version>'));

let ours: Authority;
let theirs: Authority;
beforeAll(async () => {
  ours = await makeAuthority('Ours');
  theirs = await makeAuthority('Theirs');
});

describe.each(providerTypes)('%s', (providerType) => {
  function provider(url: string, ca: string | null, registry = createTestRegistry()) {
    const properties = { host_url: url, secret: providerSecret, ...(ca === null ? {} : { ca_certificate: ca }) };
    return registry.meeting({ id: 'provider-1', providerType, properties });
  }

  test('a server with a certificate of an own authority is accepted once the authority is set', async () => {
    const { url, requests } = await tlsServer(await ours.issue(), answer);
    expect(await failureOf(provider(url, null).isRunning('demo'))).toMatchObject({ kind: 'untrusted' });
    expect(await provider(url, ours.pem).isRunning('demo')).toBe(true);
    expect(await provider(url, `${theirs.pem}\n${ours.pem}`).isRunning('demo')).toBe(true);
    expect(requests).toHaveLength(2);
  });

  test.each([
    ['of another authority', () => theirs.issue(), /is not trusted/],
    ['for another host', () => ours.issue({ host: 'elsewhere.example' }), /is for another host/],
    ['that has expired', () => ours.issue({ until: new Date(Date.now() - dayMs / 4) }), /has expired/],
    ['that is not valid yet', () => ours.issue({ from: new Date(Date.now() + dayMs / 4) }), /is not valid yet/],
  ])('a certificate %s is refused before anything is sent', async (_, issue, says) => {
    const { url, requests } = await tlsServer(await issue(), answer);
    const failure = await failureOf(provider(url, ours.pem).isRunning('demo'));
    expect(failure).toMatchObject({ kind: 'untrusted', message: expect.stringMatching(says) });
    expect(isOutage(failure)).toBe(true);
    expect(JSON.stringify([failure.message, failure.stack])).not.toMatch(/checksum=|127\.0\.0\.1:/);
    expect(await provider(url, ours.pem).check()).toMatchObject({
      reachable: false,
      problem: expect.stringMatching(says),
    });
    expect(requests).toEqual([]);
  });

  test('an own authority is trusted only for its own provider', async () => {
    const registry = createTestRegistry();
    const { url } = await tlsServer(await ours.issue(), answer);
    expect(await provider(url, ours.pem, registry).isRunning('demo')).toBe(true);
    const other = registry.meeting({
      id: 'provider-2',
      providerType,
      properties: { host_url: url, secret: providerSecret },
    });
    expect(await failureOf(other.isRunning('demo'))).toMatchObject({ kind: 'untrusted' });
  });

  test('a changed authority holds from the next request on, also where a connection is open', async () => {
    const registry = createTestRegistry();
    const { url } = await tlsServer(await ours.issue(), answer);
    expect(await provider(url, ours.pem, registry).isRunning('demo')).toBe(true);
    expect(await failureOf(provider(url, theirs.pem, registry).isRunning('demo'))).toMatchObject({ kind: 'untrusted' });
  });

  test('a server without TLS gets no unencrypted request', async () => {
    const plain = await startRawServer(answer);
    const url = plain.url.replace('http:', 'https:');
    expect(await failureOf(provider(url, null).isRunning('demo'))).toMatchObject({ kind: 'unreachable' });
    expect(plain.requests).toEqual([]);
  });
});

test('certificates are accepted with whitespace and in chains, and stored in one form', () => {
  const padded = `\r\n  ${ours.pem.replaceAll('\n', '\r\n')}  \n${theirs.pem}`;
  const read = parseCaCertificate(padded);
  expect(read).toMatchObject({ ok: true });
  expect(parseCaCertificate(read.ok ? read.value : '')).toEqual(read);
});

test.each([
  ['nothing', ''],
  ['some text', 'certificate'],
  ['text around it', 'my own\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'],
  ['half of one', '-----BEGIN CERTIFICATE-----\nAAAA'],
  ['one that is none', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'],
  ['a private key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'],
  ['too much', 'A'.repeat(70_000)],
])('%s is not a certificate', (_, text) => {
  expect(parseCaCertificate(text)).toMatchObject({ ok: false, message: expect.stringMatching(/^The ca_certificate/) });
});

test('a private key next to a certificate is rejected, since it would be printed', async () => {
  const { cert, key } = await ours.issue();
  expect(parseCaCertificate(cert + key)).toMatchObject({ ok: false, message: expect.stringContaining('no key') });
});
