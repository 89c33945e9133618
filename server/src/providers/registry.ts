import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { bigbluebuttonCapabilities, createBigBlueButton } from './bigbluebutton/adapter.ts';
import type { ProviderParts } from './bigbluebutton/ask.ts';
import { createParameters, textParameters } from './bigbluebutton/create-parameters.ts';
import { checksumAlgorithms, encodeParameters } from './bigbluebutton/signed-request.ts';
import { createTransport, type Transport } from './bigbluebutton/transport.ts';
import { parseCaCertificate } from './ca-certificate.ts';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts';
import { parseHostUrl } from './host-url.ts';
import type { Capabilities, MeetingPlan, MeetingProvider } from './meeting-provider.ts';
import { ProviderFailure } from './provider-failure.ts';
import { createScalelite, maximumCreateLength, scaleliteCapabilities } from './scalelite/adapter.ts';

export interface ProviderRecord {
  readonly id: string;
  readonly providerType: string;
  /** With secrets opened. */
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface ProviderRegistry {
  /**
   * The adapter for the provider; other properties make a new one, with a closed circuit.
   * @throws ProviderFailure `misconfigured` for an unknown type or properties that cannot be used.
   */
  meeting(record: ProviderRecord): MeetingProvider;
  /** The ids of the providers that this process leaves alone for a while. */
  openCircuits(): ReadonlySet<string>;
  /** Waits for the requests that are under way. */
  close(): Promise<void>;
}

export interface ProviderRegistryOptions {
  /** For each request, from connecting to the last byte; 5 s unless given. */
  readonly timeoutMs?: () => number;
  /** A monotonic clock will do. */
  readonly nowMs: () => number;
}

/** The only list of provider types on this side; the one of their properties stands in the contract. */
const adapters: Readonly<Record<string, Adapter>> = {
  bigbluebutton: { create: createBigBlueButton, capabilities: bigbluebuttonCapabilities },
  scalelite: { create: createScalelite, capabilities: scaleliteCapabilities, maximumCreateLength },
};

interface Adapter {
  readonly create: (parts: ProviderParts) => MeetingProvider;
  readonly capabilities: Capabilities;
  /** Of the encoded parameters that open a meeting; absent where there is no limit. */
  readonly maximumCreateLength?: number;
}

/** Undefined for a type without an adapter. */
export function capabilitiesOf(providerType: string): Capabilities | undefined {
  return Object.hasOwn(adapters, providerType) ? adapters[providerType]?.capabilities : undefined;
}

/** By how many bytes opening the meeting takes more than a provider of the type accepts; 0 where it accepts it. */
export function createExcess(providerType: string, plan: MeetingPlan): number {
  const limit = Object.hasOwn(adapters, providerType) ? adapters[providerType]?.maximumCreateLength : undefined;
  return limit === undefined ? 0 : Math.max(0, encodeParameters(createParameters(plan)).length - limit);
}

/** The settings whose texts are sent when a meeting is opened. */
export const sentSettings = Object.keys(textParameters);

export function createProviderRegistry({ timeoutMs = () => 5000, nowMs }: ProviderRegistryOptions): ProviderRegistry {
  const shared = createTransport(timeoutMs);
  const closing = new Set<Promise<void>>();
  const kept = new LRUCache<string, Kept>({
    max: 1000,
    dispose({ ownTransport }) {
      if (!ownTransport) return;
      const closed: Promise<void> = ownTransport.close().finally(() => closing.delete(closed));
      closing.add(closed);
    },
  });
  return {
    meeting(record) {
      const fingerprint = fingerprintOf(record);
      const known = kept.get(record.id);
      if (known?.fingerprint === fingerprint) return known.provider;
      const ca = trustedBy(record);
      const ownTransport = ca === null ? null : createTransport(timeoutMs, ca);
      const breaker = createCircuitBreaker(record.id, nowMs);
      const provider = build(record, ownTransport ?? shared, breaker);
      kept.set(record.id, { fingerprint, provider, breaker, ownTransport });
      return provider;
    },
    openCircuits: () => new Set([...kept.entries()].filter(([, { breaker }]) => breaker.isOpen()).map(([id]) => id)),
    async close() {
      kept.clear();
      await Promise.all([shared.close(), ...closing]);
    },
  };
}

interface Kept {
  readonly fingerprint: string;
  readonly provider: MeetingProvider;
  readonly breaker: CircuitBreaker;
  /** Of a provider with certificates of its own; null for one that shares the others'. */
  readonly ownTransport: Transport | null;
}

/** Null where the public certificates are trusted. */
function trustedBy({ id, properties }: ProviderRecord): string | null {
  const given = properties['ca_certificate'];
  if (given === undefined || given === null) return null;
  const read = parseCaCertificate(typeof given === 'string' ? given : '');
  if (!read.ok) throw new ProviderFailure('misconfigured', id, read.message);
  return read.pem;
}

/** A hash, so that no secret lies about in memory as a key. */
function fingerprintOf({ providerType, properties }: ProviderRecord): string {
  const ordered = Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([providerType, ordered]))
    .digest('base64');
}

function build({ id, providerType, properties }: ProviderRecord, transport: Transport, breaker: CircuitBreaker) {
  const unusable = (what: string) => new ProviderFailure('misconfigured', id, what);
  const adapter = Object.hasOwn(adapters, providerType) ? adapters[providerType] : undefined;
  if (!adapter) throw unusable('There is no adapter for the type of the provider.');
  const { host_url: hostUrl, secret, checksum_algorithm: wanted, admin_secret: adminSecret } = properties;
  const host = parseHostUrl(typeof hostUrl === 'string' ? hostUrl : '');
  if (!host.ok) throw unusable(host.message);
  if (typeof secret !== 'string' || secret === '') throw unusable('The provider has no secret.');
  const algorithm = checksumAlgorithms.find((name) => name === (wanted ?? 'sha256'));
  if (!algorithm || (algorithm === 'sha384' && !adapter.capabilities.sha384))
    throw unusable('The provider cannot be asked with that checksum algorithm.');
  return adapter.create({
    providerId: id,
    signer: { apiUrl: host.url, secret, algorithm },
    transport,
    breaker,
    recordingKbps: Number(properties['recording_kbps']) || null,
    adminSecret: typeof adminSecret === 'string' && adminSecret !== '' ? adminSecret : null,
  });
}
