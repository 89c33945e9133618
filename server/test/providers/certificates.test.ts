import { beforeAll, describe, expect, test } from 'vitest';
import { parseCaCertificate } from '../../src/providers/ca-certificate.ts';
import { isOutage } from '../../src/providers/provider-failure.ts';
import { type Authority, makeAuthority, startTlsServer } from './certificates.ts';
import { createTestRegistry, failureOf, providerSecret, providerTypes } from './fixtures.ts';
import { startRawServer, successXml, respondXml } from './raw-server.ts';

const dayMs = 86_400_000;
const answer = respondXml(successXml('<running>true</running><version>2.0</version>'));

let authority: Authority;
let otherAuthority: Authority;
beforeAll(async () => {
  authority = await makeAuthority('Ours');
  otherAuthority = await makeAuthority('Theirs');
});

describe.each(providerTypes)('%s', (providerType) => {
  function provider(url: string, ca: string | null, registry = createTestRegistry()) {
    const properties = { host_url: url, secret: providerSecret, ...(ca === null ? {} : { ca_certificate: ca }) };
    return registry.meeting({ id: 'provider-1', providerType, properties });
  }

  test('a server with a certificate of a private authority is accepted once the authority is set', async () => {
    const { url, requests } = await startTlsServer(await authority.issue(), answer);
    expect(await failureOf(provider(url, null).isRunning('demo'))).toMatchObject({ kind: 'untrusted' });
    expect(await provider(url, authority.pem).isRunning('demo')).toBe(true);
    expect(await provider(url, `${otherAuthority.pem}\n${authority.pem}`).isRunning('demo')).toBe(true);
    expect(requests).toHaveLength(2);
  });

  test.each([
    ['of another authority', () => otherAuthority.issue(), /is not trusted/],
    ['for another host', () => authority.issue({ host: 'elsewhere.example' }), /is for another host/],
    ['that has expired', () => authority.issue({ until: new Date(Date.now() - dayMs / 4) }), /has expired/],
    ['that is not valid yet', () => authority.issue({ from: new Date(Date.now() + dayMs / 4) }), /is not valid yet/],
  ])('a certificate %s is rejected before a request is sent', async (_, issue, problem) => {
    const { url, requests } = await startTlsServer(await issue(), answer);
    const failure = await failureOf(provider(url, authority.pem).isRunning('demo'));
    expect(failure).toMatchObject({ kind: 'untrusted', message: expect.stringMatching(problem) });
    expect(isOutage(failure)).toBe(true);
    expect(JSON.stringify([failure.message, failure.stack])).not.toMatch(/checksum=|127\.0\.0\.1:/);
    expect(await provider(url, authority.pem).check()).toMatchObject({
      reachable: false,
      problem: expect.stringMatching(problem),
    });
    expect(requests).toEqual([]);
  });

  test('the authority of a provider is trusted only for this provider', async () => {
    const registry = createTestRegistry();
    const { url } = await startTlsServer(await authority.issue(), answer);
    expect(await provider(url, authority.pem, registry).isRunning('demo')).toBe(true);
    const otherProvider = registry.meeting({
      id: 'provider-2',
      providerType,
      properties: { host_url: url, secret: providerSecret },
    });
    expect(await failureOf(otherProvider.isRunning('demo'))).toMatchObject({ kind: 'untrusted' });
  });

  test('a changed authority applies from the next request on, also if a connection is open', async () => {
    const registry = createTestRegistry();
    const { url } = await startTlsServer(await authority.issue(), answer);
    expect(await provider(url, authority.pem, registry).isRunning('demo')).toBe(true);
    expect(await failureOf(provider(url, otherAuthority.pem, registry).isRunning('demo'))).toMatchObject({
      kind: 'untrusted',
    });
  });

  test('a server without TLS gets no unencrypted request', async () => {
    const plain = await startRawServer(answer);
    const url = plain.url.replace('http:', 'https:');
    expect(await failureOf(provider(url, null).isRunning('demo'))).toMatchObject({ kind: 'unreachable' });
    expect(plain.requests).toEqual([]);
  });
});

test('certificates are accepted with whitespace and in chains, and stored in one form', () => {
  const padded = `\r\n  ${authority.pem.replaceAll('\n', '\r\n')}  \n${otherAuthority.pem}`;
  const parsed = parseCaCertificate(padded);
  expect(parsed).toMatchObject({ ok: true });
  expect(parseCaCertificate(parsed.ok ? parsed.value : '')).toEqual(parsed);
});

test.each([
  ['nothing', ''],
  ['some text', 'certificate'],
  ['a certificate with text around it', 'my own\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'],
  ['half a certificate', '-----BEGIN CERTIFICATE-----\nAAAA'],
  ['a certificate block without a certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'],
  ['a private key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'],
  ['a text that is too long', 'A'.repeat(70_000)],
])('%s is not accepted as a certificate', (_, text) => {
  expect(parseCaCertificate(text)).toMatchObject({ ok: false, message: expect.stringMatching(/^The ca_certificate/) });
});

test('a private key next to a certificate is rejected, because responses contain the property', async () => {
  const { cert, key } = await authority.issue();
  expect(parseCaCertificate(cert + key)).toMatchObject({ ok: false, message: expect.stringContaining('no key') });
});
