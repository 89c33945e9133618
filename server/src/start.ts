import { startSandbox } from '@foyer/sandbox';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { readFile } from 'node:fs/promises';
import { buildApi } from './api.ts';
import { buildHouse, furnish, type House } from './app.ts';
import type { Config } from './config.ts';
import { seedDemonstration } from './demo.ts';
import { openDatabase, StartFailure } from './open-database.ts';
import { readCatalogues } from './read-catalogues.ts';
import { loadSecretKeys } from './secret-keys.ts';
import { watchProcess } from './watch-process.ts';
import { startWorker } from './worker.ts';

/** What of Foyer runs in this process. */
export interface Roles {
  readonly api: boolean;
  readonly worker: boolean;
  readonly sandbox: boolean;
}

/** Things to be closed again, the last opened first; each within its time. */
export interface Closers {
  add(close: () => Promise<unknown>): void;
  closeAll(): Promise<void>;
}

export function createClosers(logger: FastifyBaseLogger): Closers {
  const closers: (() => Promise<unknown>)[] = [];
  return {
    add: (close) => void closers.unshift(close),
    async closeAll() {
      for (const close of closers.splice(0)) {
        try {
          await close();
        } catch (error) {
          logger.warn({ err: error }, 'closing failed');
        }
      }
    },
  };
}

/** How long what is running may take to finish. */
const shutdownMs = 15_000;

/** Ends the process when everything is closed, or too much time has passed. */
export async function closeAndExit(closers: Closers, exitCode: number): Promise<void> {
  setTimeout(() => process.exit(1), shutdownMs).unref();
  await closers.closeAll();
  process.exit(exitCode);
}

export interface HouseOptions {
  readonly fallbackUrl?: () => string;
  readonly beginsAudit?: boolean;
  /** Whether a database is made where there is none. */
  readonly mayCreate?: boolean;
}

/** Opens the database and the house on it; both are closed by `closers`. */
export async function openHouse(
  config: Config,
  logger: FastifyBaseLogger,
  closers: Closers,
  { fallbackUrl = () => defaultUrl(config), beginsAudit = false, mayCreate = false }: HouseOptions = {},
): Promise<House> {
  const catalogues = await readCatalogues(config.cataloguesDir);
  const secretKeysFirst = config.databaseUrl !== null ? await loadSecretKeys(config) : null;
  const database = await openDatabase(config, logger, mayCreate);
  closers.add(database.stop);
  const secretKeys = secretKeysFirst ?? (await loadSecretKeys(config));
  const house = await buildHouse({
    connectionString: database.connectionString,
    secretKeys,
    beginsAudit: beginsAudit || database.isNew,
    readSecretKeys: () => loadSecretKeys(config),
    logger,
    fallbackUrl,
    publicUrl: config.publicUrl,
    rateLimits: config.rateLimits,
    mail: config.mail,
    catalogues,
  });
  closers.add(house.close);
  return house;
}

/** Starts what `roles` names. @returns the lines to be shown, the last one when everything serves. */
export async function start(
  config: Config,
  roles: Roles,
  logger: FastifyBaseLogger,
  closers: Closers,
): Promise<string[]> {
  let url = defaultUrl(config);
  const house = await openHouse(config, logger, closers, { fallbackUrl: () => url, mayCreate: true });
  watchProcess(logger, house.health, () => closeAndExit(closers, 1));
  const admin = await furnish(house, config);
  const sandbox = roles.sandbox && config.sandboxPort > 0 ? await openSandbox(config, closers) : null;
  const demoLink = async () => (config.demo ? await seedDemonstration(house.dependencies, sandbox) : null);
  if (roles.api) url = await serve(house, config, closers);
  const link = await demoLink();
  if (roles.worker) {
    const runner = await startWorker(house);
    closers.add(() => runner.stop());
  }
  const lines = roles.api ? addresses(url, link, sandbox?.url ?? null) : [];
  if (admin?.generated) {
    lines.push(`  Sign in       ${admin.username} with the password ${admin.password} (shown this once)`);
  }
  return [...lines, roles.api ? `Foyer is ready at ${url}` : 'The Foyer worker is ready'];
}

function defaultUrl(config: Config): string {
  const scheme = config.tls ? 'https' : 'http';
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${scheme}://${host}:${config.port}`;
}

async function serve(house: House, config: Config, closers: Closers): Promise<string> {
  const tls = config.tls && {
    cert: await readFile(config.tls.certFile, 'utf8'),
    key: await readFile(config.tls.keyFile, 'utf8'),
  };
  const { requireHttps, trustProxy, maxConnections, maxConnectionsPerAddress: maxPerAddress } = config;
  const app = await buildApi(house, { requireHttps, trustProxy, tls, connections: { maxConnections, maxPerAddress } });
  closers.add(() => app.close());
  await listen(app, config);
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  return defaultUrl({ ...config, port });
}

async function listen(app: FastifyInstance, config: Config): Promise<void> {
  try {
    await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    throw portFailure(error, 'PORT', config.host, config.port);
  }
}

async function openSandbox(config: Config, closers: Closers) {
  try {
    const sandbox = await startSandbox({
      port: config.sandboxPort,
      secrets: [config.sandboxSecret],
      maxUserConcurrentAccesses: 1,
    });
    closers.add(() => sandbox.close());
    return sandbox;
  } catch (error) {
    throw portFailure(error, 'FOYER_SANDBOX_PORT', '127.0.0.1', config.sandboxPort);
  }
}

function portFailure(error: unknown, variable: string, host: string, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new StartFailure(`Port ${port} on ${host} is in use by another program. Set ${variable} to a free one.`);
  if (code === 'EACCES')
    return new StartFailure(`Port ${port} on ${host} may not be used by this user. Set ${variable} to another one.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartFailure(`There is no address ${host} on this machine. Set HOST to another one.`);
  return error;
}

function addresses(url: string, demoLink: string | null, sandboxUrl: string | null): string[] {
  return [
    '',
    `  Console       ${url}/console`,
    `  API           ${url}/api/v1`,
    `  Reference     ${url}/docs`,
    ...(demoLink ? [`  Demo room     ${demoLink}`] : []),
    ...(sandboxUrl ? [`  Sandbox       ${sandboxUrl}`] : []),
  ];
}
