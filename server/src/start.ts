import { startSandbox } from '@foyer/sandbox';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { readFile } from 'node:fs/promises';
import { buildApi } from './api.ts';
import { createApp, seedInitialData, type App } from './app.ts';
import type { Config } from './config.ts';
import { seedDemonstration } from './demo.ts';
import { startMediaProcess } from './media-process.ts';
import { openDatabase, StartFailure } from './runtime/open-database.ts';
import { readCatalogues } from './runtime/read-catalogues.ts';
import { loadSecretKeys } from './runtime/secret-keys.ts';
import { watchProcess } from './runtime/watch-process.ts';
import { startWorker } from './worker.ts';

/** Which services of Foyer run in this process. */
export interface EnabledServices {
  readonly api: boolean;
  readonly worker: boolean;
  readonly sandbox: boolean;
}

/** Closes resources at shutdown, in reverse order of their opening. */
export interface ShutdownHooks {
  add(close: () => Promise<unknown>): void;
  closeAll(): Promise<void>;
}

export function createShutdownHooks(logger: FastifyBaseLogger): ShutdownHooks {
  const shutdownHooks: (() => Promise<unknown>)[] = [];
  return {
    add: (close) => void shutdownHooks.unshift(close),
    async closeAll() {
      for (const close of shutdownHooks.splice(0)) {
        try {
          await close();
        } catch (error) {
          logger.warn({ err: error }, 'shutdown hook failed');
        }
      }
    },
  };
}

/** Time limit of the whole shutdown. */
const shutdownMs = 15_000;

/** Runs the shutdown hooks and exits, with code 1 if they take longer than `shutdownMs`. */
export async function shutDownAndExit(shutdownHooks: ShutdownHooks, exitCode: number): Promise<void> {
  setTimeout(() => process.exit(1), shutdownMs).unref();
  await shutdownHooks.closeAll();
  process.exit(exitCode);
}

export interface OpenOptions {
  readonly fallbackUrl?: () => string;
  readonly canCreateAuditKey?: boolean;
  /** Whether to create the database if it does not exist. */
  readonly canCreateDatabase?: boolean;
}

/** Opens the database and the application on it. The shutdown hooks close both. */
export async function openApp(
  config: Config,
  logger: FastifyBaseLogger,
  shutdownHooks: ShutdownHooks,
  { fallbackUrl = () => defaultUrl(config), canCreateAuditKey = false, canCreateDatabase = false }: OpenOptions = {},
): Promise<App> {
  const catalogues = await readCatalogues(config.cataloguesDir);
  const configuredKeys = config.databaseUrl !== null ? await loadSecretKeys(config) : null;
  const database = await openDatabase(config, logger, canCreateDatabase);
  shutdownHooks.add(database.stop);
  const secretKeys = configuredKeys ?? (await loadSecretKeys(config));
  const app = await createApp({
    connectionString: database.connectionString,
    secretKeys,
    canCreateAuditKey: canCreateAuditKey || database.isNew,
    readSecretKeys: () => loadSecretKeys(config),
    logger,
    fallbackUrl,
    publicUrl: config.publicUrl,
    rateLimits: config.rateLimits,
    mail: config.mail,
    catalogues,
  });
  shutdownHooks.add(app.close);
  return app;
}

/** Starts the enabled services. @returns the lines to print when all of them are ready */
export async function start(
  config: Config,
  services: EnabledServices,
  logger: FastifyBaseLogger,
  shutdownHooks: ShutdownHooks,
): Promise<string[]> {
  let url = defaultUrl(config);
  const app = await openApp(config, logger, shutdownHooks, { fallbackUrl: () => url, canCreateDatabase: true });
  watchProcess(logger, app.health, () => shutDownAndExit(shutdownHooks, 1));
  const admin = await seedInitialData(app, config);
  const sandbox = services.sandbox && config.sandboxPort > 0 ? await openSandbox(config, shutdownHooks) : null;
  const media = services.sandbox ? await startMediaProcess(config, logger) : null;
  if (media) shutdownHooks.add(media.close);
  const seedDemo = async () => (config.demo ? await seedDemonstration(app.dependencies, sandbox, media) : null);
  if (services.api) url = await serve(app, config, shutdownHooks);
  const link = await seedDemo();
  if (services.worker) {
    const runner = await startWorker(app);
    shutdownHooks.add(() => runner.stop());
  }
  const lines = services.api
    ? addressLines(url, link, { sandbox: sandbox?.url ?? null, media: media?.url ?? null })
    : [];
  if (admin?.isPasswordGenerated) {
    lines.push(`  Sign in       ${admin.username} with the password ${admin.password} (shown only once)`);
  }
  return [...lines, services.api ? `Foyer is ready at ${url}` : 'The Foyer worker is ready'];
}

function defaultUrl(config: Config): string {
  const scheme = config.tls ? 'https' : 'http';
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${scheme}://${host}:${config.port}`;
}

async function serve(app: App, config: Config, shutdownHooks: ShutdownHooks): Promise<string> {
  const tls = config.tls && {
    cert: await readFile(config.tls.certFile, 'utf8'),
    key: await readFile(config.tls.keyFile, 'utf8'),
  };
  const { requireHttps, trustProxy, maxConnections, maxConnectionsPerAddress: maxPerAddress } = config;
  const server = await buildApi(app, { requireHttps, trustProxy, tls, connections: { maxConnections, maxPerAddress } });
  shutdownHooks.add(() => server.close());
  await listen(server, config);
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  return defaultUrl({ ...config, port });
}

async function listen(server: FastifyInstance, config: Config): Promise<void> {
  try {
    await server.listen({ host: config.host, port: config.port });
  } catch (error) {
    throw portFailure(error, 'PORT', config.host, config.port);
  }
}

async function openSandbox(config: Config, shutdownHooks: ShutdownHooks) {
  try {
    const sandbox = await startSandbox({
      port: config.sandboxPort,
      secrets: [config.sandboxSecret],
      maxUserConcurrentAccesses: 1,
    });
    shutdownHooks.add(() => sandbox.close());
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
    return new StartFailure(
      `Port ${port} on ${host} cannot be used: you have no permission for it. Set ${variable} to another port.`,
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartFailure(`This machine has no address ${host}. Set HOST to another address.`);
  return error;
}

function addressLines(
  url: string,
  demoLink: string | null,
  { sandbox, media }: { readonly sandbox: string | null; readonly media: string | null },
): string[] {
  return [
    '',
    `  Console       ${url}/console`,
    `  API           ${url}/api/v1`,
    `  Reference     ${url}/docs`,
    ...(demoLink ? [`  Demo room     ${demoLink}`] : []),
    ...(sandbox ? [`  Sandbox       ${sandbox}`] : []),
    ...(media ? [`  Media server  ${media}`] : []),
  ];
}
