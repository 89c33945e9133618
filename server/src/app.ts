import type { FastifyBaseLogger } from 'fastify';
import { createHmac } from 'node:crypto';
import { type InvalidationBus, openInvalidationBus } from './database/invalidation-bus.ts';
import type { Connection } from './database/connect.ts';
import { leaseTokens } from './database/rate-limit-store.ts';
import { openPools, type Pools, type PoolsOptions } from './database/pools.ts';
import { openSnapshot } from './database/snapshot.ts';
import type { Config } from './config.ts';
import { createReader } from './create-reader.ts';
import type { Dependencies } from './dependencies.ts';
import { createEventPrinter } from './events/event-data.ts';
import { createReactions } from './events/reactions.ts';
import { modules } from './modules.ts';
import { loadAuditMac } from './modules/audit/index.ts';
import { installProxyClients } from './modules/auth/index.ts';
import { createFullAdmin } from './modules/admins/index.ts';
import { cacheSettings } from './modules/settings/index.ts';
import { type RateLimiter, createRateLimiter } from './platform/limits/rate-limiter.ts';
import { createAttemptCounter } from './platform/limits/failed-attempts.ts';
import { type Clock, systemClock } from './platform/time/clock.ts';
import { createHealth, type Health } from './platform/health.ts';
import { createMailer, type MailAddress } from './platform/mailer.ts';
import { createTotalCache } from './platform/list-query/total-cache.ts';
import { createViewIndex } from './platform/list-query/relation.ts';
import type { Reader, ViewIndex } from './platform/list-query/view.ts';
import { secretMask } from '@foyer/contract/resources/providers/provider-types.ts';
import { createCatalogues } from './platform/text/catalogues.ts';
import { createSecretBox, type SecretKey } from './platform/crypto/secret-box.ts';
import type { ProviderTypeDefinition } from './providers/provider-type.ts';
import { providerTypes } from './providers/provider-types.ts';
import { createProviderRegistry } from './providers/registry.ts';

/** The services that the API and the worker of a process share. */
export interface App {
  readonly dependencies: Dependencies;
  /** Like `dependencies`, on the connections of jobs and commands, which allow longer statements. */
  readonly jobDependencies: Dependencies;
  readonly pools: Pools;
  /** The connections of requests. */
  readonly connection: Connection;
  readonly invalidations: InvalidationBus;
  readonly views: ViewIndex;
  readonly health: Health;
  /** Null: requests are not limited. */
  readonly rateLimiter: RateLimiter | null;
  close(): Promise<void>;
}

export interface AppOptions {
  readonly connectionString: string;
  readonly secretKeys: readonly SecretKey[];
  /** Reads the current keys: another process may have added one. */
  readonly readSecretKeys?: () => Promise<readonly SecretKey[]>;
  /** Whether the key of the audit log may be created; only on a new database. */
  readonly canCreateAuditKey?: boolean;
  readonly logger: FastifyBaseLogger;
  readonly clock?: Clock;
  /** False only for benchmarks and tests on loopback. Default: true. */
  readonly rateLimits?: boolean;
  /** The public address if neither a setting nor the environment has one. */
  readonly fallbackUrl: () => string;
  readonly publicUrl: string | null;
  /** The mail server; null or absent for none. */
  readonly mail?: MailConfig | null;
  /** The parsed files of `FOYER_CATALOGUES_DIR`, by name. */
  readonly catalogues?: ReadonlyMap<string, unknown>;
  /** Default: the provider types of this release. */
  readonly providerTypes?: readonly ProviderTypeDefinition[];
  /** Overrides the limits of all connection pools except that of the jobs. */
  readonly connectionLimits?: PoolsOptions['limits'];
}

export interface MailConfig {
  readonly smtpUrl: string;
  readonly from: MailAddress | null;
  /** How long the server may take to answer, in milliseconds. Default: 15 seconds. */
  readonly silenceMs?: number;
}

/** Creates the services that API and worker share, on a migrated database. */
export async function createApp(options: AppOptions): Promise<App> {
  const { logger, clock = systemClock } = options;
  // The error of a pool contains its whole client, so only the message is logged.
  const onError = (error: unknown) =>
    logger.warn({ reason: error instanceof Error ? error.message : String(error) }, 'database connection lost');
  let followFailover = () => {};
  const { pools, close: closePools } = openPools(options.connectionString, {
    limits: options.connectionLimits ?? {},
    onError,
    onReplaced() {
      logger.warn('the database is read-only: replacing connections');
      followFailover();
    },
  });
  const connection = pools.requests;
  const secretBox = createSecretBox(options.secretKeys, options.readSecretKeys);
  const auditMac = await loadAuditMac(connection.db, secretBox, options.canCreateAuditKey).catch(
    async (error: unknown) => {
      await closePools();
      throw error;
    },
  );
  const invalidations = await openInvalidationBus(options.connectionString, onError);
  followFailover = invalidations.reconnect;
  const settings = await cacheSettings(connection.db, invalidations, onError);
  const providers = createProviderRegistry({
    types: options.providerTypes ?? providerTypes,
    timeoutMs: () => settings.current().provider_timeout_ms,
    nowMs: () => performance.now(),
  });
  const views = createViewIndex(
    modules.flatMap(({ relations = [] }) => relations),
    modules.flatMap(({ tenantScopes = [] }) => tenantScopes),
  );
  const dependencies: Dependencies = {
    db: connection.db,
    clock,
    totals: createTotalCache(),
    invalidations: {
      ...invalidations,
      async waitForAcknowledgement(invalidation) {
        await invalidations.waitForAcknowledgement(invalidation);
        await settings.waitForReload();
      },
    },
    settings: settings.current,
    openSnapshot: (snapshotOptions) => openSnapshot(pools, snapshotOptions),
    secretBox,
    auditMac,
    eventPrinter: createEventPrinter(
      Object.fromEntries(modules.flatMap(({ views: viewsOfModule = {} }) => Object.entries(viewsOfModule))),
      () => createEventReader(dependencies, views),
    ),
    separateDb: pools.separate.db,
    runReactions: createReactions(modules),
    providers,
    fingerprintKey: deriveSeed('fingerprints of requests', options.secretKeys),
    meetingPasswordSeed: deriveSeed('meeting passwords', options.secretKeys),
    callbackSeed: deriveSeed('addresses that providers call', options.secretKeys),
    linkKey: deriveSeed('links to recordings', options.secretKeys),
    failedAttempts: createAttemptCounter({
      // Outside the request's transaction, so that failures stay counted when it is rolled back.
      db: pools.separate.db as never,
      clock,
      isEnabled: options.rateLimits ?? true,
      key: deriveSeed('names of failed attempts', options.secretKeys),
    }),
    mailer: options.mail ? createMailer(options.mail.smtpUrl, options.mail.from, options.mail.silenceMs) : null,
    catalogues: createCatalogues(options.catalogues),
    logger,
    publicUrl: () => settings.current().public_url ?? options.publicUrl ?? options.fallbackUrl(),
  };
  return {
    dependencies,
    jobDependencies: { ...dependencies, db: pools.jobs.db },
    pools,
    connection,
    invalidations,
    views,
    health: createHealth(),
    rateLimiter:
      (options.rateLimits ?? true) ? createRateLimiter((request) => leaseTokens(connection.db, request), clock) : null,
    async close() {
      await providers.close();
      await invalidations.close();
      await closePools();
    },
  };
}

/**
 * Creates the OAuth clients of the platform and the first administrator.
 * @returns the administrator, if one was created
 */
export async function seedInitialData({ dependencies }: App, config: Pick<Config, 'firstAdmin'>) {
  await installProxyClients(dependencies);
  const { system_locale: locale } = dependencies.settings();
  return await createFullAdmin(dependencies, config.firstAdmin, locale, { onlyIfNone: true });
}

/**
 * Creates the reader that prints events. All recipients get the same event, so it is in the system language, and signed
 * links are masked.
 */
function createEventReader(dependencies: Dependencies, views: ViewIndex): Reader {
  const locale = dependencies.settings().system_locale;
  const reader = createReader(dependencies, views, { locale, may: () => true, userId: null });
  return { ...reader, signPlaybackLink: (path) => ({ ...reader.signPlaybackLink(path), url: secretMask }) };
}

/** Derives a secret from the oldest key, so that a new key does not change the passwords of open meetings. */
function deriveSeed(purpose: string, keys: readonly SecretKey[]): string {
  const oldest = keys.at(-1);
  if (!oldest) throw new TypeError('There is no key.');
  return createHmac('sha256', oldest.key).update(purpose).digest('base64url');
}
