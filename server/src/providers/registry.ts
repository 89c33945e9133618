import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { bigbluebuttonCapabilities, createBigBlueButton } from './bigbluebutton/adapter.ts';
import { type ChecksumAlgorithm, checksumAlgorithms } from './bigbluebutton/signed-url.ts';
import { createTransport, type Transport } from './bigbluebutton/transport.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import type { MeetingProvider } from './meeting-provider.ts';
import { createScalelite } from './scalelite/adapter.ts';

export interface ProviderRecord {
  readonly id: string;
  readonly providerType: string;
  /** With secrets opened. */
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface ProviderRegistry {
  /** The adapter for the provider; other properties make a new one, with a closed circuit. */
  meeting(record: ProviderRecord): MeetingProvider;
  close(): Promise<void>;
}

interface Kept {
  readonly fingerprint: string;
  readonly provider: MeetingProvider;
  readonly transport: Transport;
}

export function createProviderRegistry(options: { timeoutMs: () => number; nowMs: () => number }): ProviderRegistry {
  const kept = new LRUCache<string, Kept>({ max: 1000, dispose: ({ transport }) => void transport.close() });
  return {
    meeting(record) {
      const fingerprint = createHash('sha256')
        .update(JSON.stringify([record.providerType, record.properties]))
        .digest('base64');
      const known = kept.get(record.id);
      if (known?.fingerprint === fingerprint) return known.provider;
      const transport = createTransport(record.id, options.timeoutMs);
      const provider = build(record, transport, options.nowMs);
      kept.set(record.id, { fingerprint, provider, transport });
      return provider;
    },
    async close() {
      kept.clear();
    },
  };
}

/** The only list of provider types on this side; the one of their properties stands in the contract. */
function build(
  { id, providerType, properties }: ProviderRecord,
  transport: Transport,
  nowMs: () => number,
): MeetingProvider {
  const algorithm =
    checksumAlgorithms.find((name) => name === properties['checksum_algorithm']) ??
    ('sha256' satisfies ChecksumAlgorithm);
  const parts = {
    providerId: id,
    type: providerType,
    signer: { apiUrl: String(properties['host_url']), secret: String(properties['secret']), algorithm },
    transport,
    breaker: createCircuitBreaker(id, nowMs),
  };
  switch (providerType) {
    case 'bigbluebutton':
      return createBigBlueButton({ ...parts, capabilities: bigbluebuttonCapabilities });
    case 'scalelite':
      return createScalelite(parts);
    default:
      throw new Error(`there is no adapter for the provider type ${providerType}`);
  }
}
