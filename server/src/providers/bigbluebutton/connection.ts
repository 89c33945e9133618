import { parseUrl } from '../../platform/text/read-url.ts';
import { parseCaCertificate } from '../ca-certificate.ts';
import type { ErrorHints } from '../http/transport.ts';
import type { Capabilities } from '../meet.ts';
import { ProviderFailure } from '../provider-failure.ts';
import type { Properties, ProviderConnection } from '../provider-type.ts';
import { addressAdvice } from './request/answer.ts';
import type { BigBlueButtonConnection } from './request/call-api.ts';
import { parseHostUrl } from './host-url.ts';
import { checksumAlgorithms } from './request/signed-request.ts';

const errorHints: ErrorHints = { address: addressAdvice, gateway: 'Check its services with `bbb-conf --status`.' };

/** The normalized address of the API. */
export function serverKey(properties: Properties): string {
  return String(properties['host_url']);
}

/** The origin of the server; empty if its address is not valid. */
export function originOf(properties: Properties): string[] {
  const hostUrl = properties['host_url'];
  const url = typeof hostUrl === 'string' ? parseUrl(hostUrl) : null;
  return url ? [url.origin] : [];
}

/** @throws ProviderFailure `misconfigured` for properties that cannot be used. */
export function createConnection(
  { providerId, properties, breaker, transport }: ProviderConnection,
  capabilities: Capabilities,
): BigBlueButtonConnection {
  const misconfigured = (message: string) => new ProviderFailure('misconfigured', providerId, message);
  const { host_url: hostUrl, secret, checksum_algorithm: algorithmName, admin_secret: adminSecret } = properties;
  const host = parseHostUrl(typeof hostUrl === 'string' ? hostUrl : '');
  if (!host.ok) throw misconfigured(host.message);
  if (typeof secret !== 'string' || secret === '') throw misconfigured('The provider has no secret.');
  const algorithm = checksumAlgorithms.find((name) => name === (algorithmName ?? 'sha256'));
  if (!algorithm || (algorithm === 'sha384' && !capabilities.sha384))
    throw misconfigured('The provider does not support that checksum algorithm.');
  const ca = properties['ca_certificate'] ?? null;
  const parsedCa = ca === null ? null : parseCaCertificate(typeof ca === 'string' ? ca : '');
  if (parsedCa?.ok === false) throw misconfigured(parsedCa.message);
  return {
    providerId,
    signer: { apiUrl: host.value, secret, algorithm },
    transport: transport(errorHints, parsedCa?.value ?? null),
    breaker,
    recordingKbps: Number(properties['recording_kbps']) || null,
    adminSecret: typeof adminSecret === 'string' && adminSecret !== '' ? adminSecret : null,
  };
}
