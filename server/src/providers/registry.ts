import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts';
import { createTransport, type Transport, type ErrorHints } from './http/transport.ts';
import { isMediaProvider, type MediaProvider } from './media.ts';
import type { MeetingProvider } from './meet.ts';
import { ProviderFailure } from './provider-failure.ts';
import { type MeetService, type Properties, type ProviderTypeDefinition, sessionServiceOf } from './provider-type.ts';

export interface ProviderRecord {
  readonly id: string;
  readonly providerType: string;
  /** The properties with decrypted secrets. */
  readonly properties: Properties;
}

export interface ProviderRegistry {
  readonly types: readonly ProviderTypeDefinition[];
  /** Finds a type by its name or an alias. */
  type(name: string): ProviderTypeDefinition | undefined;
  /**
   * The adapter for the provider. Changed properties create a new one, with a closed circuit.
   * @throws ProviderFailure `misconfigured` for an unknown type or properties that cannot be used.
   */
  meeting(record: ProviderRecord): MeetingProvider;
  /** Like `meeting`, for a media server. */
  media(record: ProviderRecord): MediaProvider;
  /** The ids of the providers whose circuit breaker is open in this process. */
  openCircuits(): ReadonlySet<string>;
  /** Waits for running requests. */
  close(): Promise<void>;
}

export interface ProviderRegistryOptions {
  readonly types: readonly ProviderTypeDefinition[];
  /** The time-out of a request in milliseconds, from connecting to the last byte; 5 s by default. */
  readonly timeoutMs?: () => number;
  /** A monotonic clock is sufficient. */
  readonly nowMs: () => number;
}

export function createProviderRegistry({
  types,
  timeoutMs = () => 5000,
  nowMs,
}: ProviderRegistryOptions): ProviderRegistry {
  const byName = new Map(
    types.flatMap((type) => [type.declaration.name, ...(type.declaration.aliases ?? [])].map((name) => [name, type])),
  );
  const sharedTransports = new Map<ErrorHints, Transport>();
  const closing = new Set<Promise<void>>();
  const connections = new LRUCache<string, Connection>({
    max: 1000,
    dispose({ ownTransports }) {
      for (const transport of ownTransports) {
        const closed: Promise<void> = transport.close().finally(() => closing.delete(closed));
        closing.add(closed);
      }
    },
  });

  function sharedTransport(errorHints: ErrorHints): Transport {
    const transport = sharedTransports.get(errorHints) ?? createTransport({ timeoutMs, errorHints });
    sharedTransports.set(errorHints, transport);
    return transport;
  }

  function connect({ id, properties }: ProviderRecord, service: MeetService): Omit<Connection, 'fingerprint'> {
    const breaker = createCircuitBreaker(id, nowMs);
    const ownTransports: Transport[] = [];
    const provider = service.connect({
      providerId: id,
      properties,
      breaker,
      transport(errorHints, ca) {
        if (ca === null) return sharedTransport(errorHints);
        const transport = createTransport({ timeoutMs, errorHints, ca });
        ownTransports.push(transport);
        return transport;
      },
    });
    return { provider, breaker, ownTransports };
  }

  function getAdapter(record: ProviderRecord): MeetingProvider {
    const fingerprint = fingerprintOf(record);
    const cached = connections.get(record.id);
    if (cached?.fingerprint === fingerprint) return cached.provider;
    const service = sessionServiceOf(byName.get(record.providerType));
    if (!service) {
      const message = `There is no adapter for providers of the type ${record.providerType}.`;
      throw new ProviderFailure('misconfigured', record.id, message);
    }
    const connection = connect(record, service);
    connections.set(record.id, { fingerprint, ...connection });
    return connection.provider;
  }

  return {
    types,
    type: (name) => byName.get(name),
    meeting: getAdapter,
    media(record) {
      const provider = getAdapter(record);
      if (isMediaProvider(provider)) return provider;
      const message = `Providers of the type ${record.providerType} offer neither videos nor streams.`;
      throw new ProviderFailure('misconfigured', record.id, message);
    },
    openCircuits: () =>
      new Set([...connections.entries()].filter(([, { breaker }]) => breaker.isOpen()).map(([id]) => id)),
    async close() {
      connections.clear();
      await Promise.all([...[...sharedTransports.values()].map((transport) => transport.close()), ...closing]);
    },
  };
}

interface Connection {
  readonly fingerprint: string;
  readonly provider: MeetingProvider;
  readonly breaker: CircuitBreaker;
  /** Transports with the provider's own CA certificates, not shared with other providers. */
  readonly ownTransports: readonly Transport[];
}

/** A hash, so that secrets are not kept in memory as keys. */
function fingerprintOf({ providerType, properties }: ProviderRecord): string {
  const ordered = Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([providerType, ordered]))
    .digest('base64');
}
