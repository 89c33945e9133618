import { startSandbox } from '@foyer/sandbox';
import { expect, onTestFinished, test } from 'vitest';
import { createTestRegistry, failureOf, providerSecret } from './fixtures.ts';
import { startRawServer, respondXml } from './raw-server.ts';

const properties = { host_url: 'https://server.example', secret: providerSecret };

test('a provider keeps its adapter until its properties change, regardless of their order', () => {
  const registry = createTestRegistry();
  const first = registry.meeting({ id: 'p', providerType: 'bigbluebutton', properties });
  const reordered = { secret: properties.secret, host_url: properties.host_url };
  expect(registry.meeting({ id: 'p', providerType: 'bigbluebutton', properties: reordered })).toBe(first);
  expect(registry.meeting({ id: 'q', providerType: 'bigbluebutton', properties })).not.toBe(first);
  const changed = { ...properties, secret: 'another' };
  expect(registry.meeting({ id: 'p', providerType: 'bigbluebutton', properties: changed })).not.toBe(first);
});

test.each([
  ['an unknown type', 'jitsi', properties, 'adapter'],
  ['a type that is a member of every object', 'constructor', properties, 'adapter'],
  ['no address', 'bigbluebutton', { secret: 'x' }, 'host_url'],
  [
    'an unencrypted address of another machine',
    'bigbluebutton',
    { ...properties, host_url: 'http://server.example' },
    'https',
  ],
  ['no secret', 'scalelite', { host_url: 'https://server.example' }, 'secret'],
  ['an empty secret', 'scalelite', { ...properties, secret: '' }, 'secret'],
  ['an unknown checksum algorithm', 'bigbluebutton', { ...properties, checksum_algorithm: 'md5' }, 'algorithm'],
])(
  '%s makes a provider unusable, with an error that does not contain the secret',
  (_, providerType, properties, message) => {
    const registry = createTestRegistry();
    const getAdapter = () => registry.meeting({ id: 'p', providerType, properties: properties });
    expect(getAdapter).toThrow(expect.objectContaining({ kind: 'misconfigured', providerId: 'p' }));
    expect(getAdapter).toThrow(message);
    expect(getAdapter).not.toThrow(providerSecret);
  },
);

test('a provider that keeps failing gets no requests for a while, and then one trial request', async () => {
  let isHealthy = false;
  const server = await startRawServer((response, request) =>
    isHealthy
      ? respondXml('<response><returncode>SUCCESS</returncode><running>false</running></response>')(response, request)
      : respondXml('<html>Bad Gateway</html>', 502)(response, request),
  );
  let now = 0;
  const registry = createTestRegistry({ nowMs: () => now });
  const record = { id: 'p', providerType: 'bigbluebutton', properties: { host_url: server.url, secret: 's' } };
  const callProvider = () => registry.meeting(record).isRunning('demo');
  for (let call = 0; call < 5; call++) expect(await failureOf(callProvider())).toMatchObject({ kind: 'unreachable' });
  const requestCount = server.requests.length;
  for (let call = 0; call < 3; call++) expect(await failureOf(callProvider())).toMatchObject({ kind: 'circuit-open' });
  expect(server.requests).toHaveLength(requestCount);
  now = 10_000;
  isHealthy = true;
  expect(await callProvider()).toBe(false);
  expect(await callProvider()).toBe(false);
});

test('changed properties are used at once, even if the old properties failed', async () => {
  const server = await startRawServer(respondXml('', 502));
  const sandbox = await startSandbox({ secrets: [providerSecret] });
  onTestFinished(() => sandbox.close());
  const registry = createTestRegistry();
  const getAdapter = (host_url: string) =>
    registry.meeting({ id: 'p', providerType: 'bigbluebutton', properties: { host_url, secret: providerSecret } });
  for (let call = 0; call < 6; call++) await failureOf(getAdapter(server.url).isRunning('demo'));
  expect(await getAdapter(sandbox.url).isRunning('demo')).toBe(false);
});

test('the failure of one provider does not affect another provider', async () => {
  const server = await startRawServer(respondXml('', 502));
  const sandbox = await startSandbox({ secrets: [providerSecret] });
  onTestFinished(() => sandbox.close());
  const registry = createTestRegistry();
  const getAdapter = (id: string, host_url: string) =>
    registry.meeting({ id, providerType: 'bigbluebutton', properties: { host_url, secret: providerSecret } });
  for (let call = 0; call < 6; call++) await failureOf(getAdapter('p', server.url).isRunning('demo'));
  expect(await getAdapter('q', sandbox.url).isRunning('demo')).toBe(false);
});

test('a requested check is sent although the circuit breaker is open, and closes it on success', async () => {
  const sandbox = await startSandbox({ secrets: [providerSecret] });
  onTestFinished(() => sandbox.close());
  sandbox.control.injectFault({ kind: 'http-error', status: 503, times: null });
  const provider = createTestRegistry().meeting({
    id: 'p',
    providerType: 'bigbluebutton',
    properties: { host_url: sandbox.url, secret: providerSecret },
  });
  for (let call = 0; call < 5; call++) await failureOf(provider.isRunning('demo'));
  expect(await failureOf(provider.isRunning('demo'))).toMatchObject({ kind: 'circuit-open' });
  expect(await provider.check()).toMatchObject({ reachable: false });
  expect(await failureOf(provider.isRunning('demo'))).toMatchObject({ kind: 'circuit-open' });
  sandbox.control.clearFaults();
  expect(await provider.check()).toMatchObject({ reachable: true, secretAccepted: true });
  expect(await provider.isRunning('demo')).toBe(false);
});
