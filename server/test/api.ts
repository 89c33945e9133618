import { type Client, createClient } from '@foyer/sdk';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { inject } from 'vitest';
import { buildApi } from '../src/api.ts';
import { createApp, type App, type AppOptions, type MailConfig } from '../src/app.ts';
import { type FixedClock, fixedClock } from '../src/platform/time/clock.ts';
import { parseSecretKeys } from '../src/platform/crypto/secret-box.ts';
import type { ProviderTypeDefinition } from '../src/providers/provider-type.ts';
import { cloneDatabase } from './database.ts';
import { firstAdmin } from './first-admin.ts';
import type { TcpProxy } from './tcp-proxy.ts';

export interface TestApi {
  readonly url: string;
  /** A client that is signed in as the first administrator. */
  readonly admin: Client;
  /** A client without a token. */
  readonly anyone: Client;
  readonly clock: FixedClock;
  readonly app: App;
  /** The log as text. */
  readonly log: () => string;
  /** Connects to the database directly, also if the API uses a proxy. */
  readonly connectionString: string;
  clientWith(token: string | null): Client;
  /** Starts a second API on the same database, as another process would. */
  another(): Promise<TestApi>;
  close(): Promise<void>;
}

export interface TestApiOptions {
  readonly postgres?: '15' | '18';
  readonly now?: string;
  readonly rateLimits?: boolean;
  readonly requireHttps?: boolean;
  readonly trustProxy?: boolean | number | string;
  readonly mail?: MailConfig;
  readonly catalogues?: ReadonlyMap<string, unknown>;
  /** A proxy between the API and its database. */
  readonly proxy?: TcpProxy;
  readonly connectionLimits?: AppOptions['connectionLimits'];
  readonly providerTypes?: readonly ProviderTypeDefinition[];
}

/** The whole API over HTTP, on its own database, with a manual clock. */
export async function startApi(options: TestApiOptions = {}): Promise<TestApi> {
  const database = await cloneDatabase(options.postgres);
  const clock = fixedClock(options.now ?? '2026-03-10T12:00:00Z');
  const { connectionString } = database;
  return {
    ...(await serve(
      options.proxy?.connectionStringFor(connectionString) ?? connectionString,
      clock,
      options,
      database.drop,
    )),
    connectionString,
  };
}

async function serve(
  connectionString: string,
  clock: FixedClock,
  options: TestApiOptions,
  drop: () => Promise<void>,
): Promise<TestApi> {
  const lines: string[] = [];
  const keys = parseSecretKeys(inject('secretKeys'));
  let url = 'http://127.0.0.1';
  const app = await createApp({
    connectionString,
    secretKeys: keys.ok ? keys.keys : [],
    logger: pino({ level: 'debug' }, { write: (line) => void lines.push(line) }),
    clock,
    rateLimits: options.rateLimits ?? false,
    fallbackUrl: () => url,
    publicUrl: null,
    mail: options.mail ?? null,
    // Long enough for startup and for hundreds of concurrent calls on a slow machine.
    connectionLimits: { waitMs: 60_000, ...options.connectionLimits },
    ...(options.catalogues ? { catalogues: options.catalogues } : {}),
    ...(options.providerTypes ? { providerTypes: options.providerTypes } : {}),
  });
  const server = await buildApi(app, {
    requireHttps: options.requireHttps ?? false,
    trustProxy: options.trustProxy ?? false,
    tls: null,
  });
  url = await listen(server);
  const clientWith = (token: string | null) => createClient({ baseUrl: url, token });
  const anyone = clientWith(null);
  let token: { value: Promise<string>; issuedAtMs: number } | null = null;
  const login = async () =>
    (await anyone.loginAdmin({ body: { username: firstAdmin.username, password: firstAdmin.password } })).access_token;
  /** Logs in again after the clock has passed the expiry of the token. */
  const adminToken = () => {
    const ageMs = token === null ? Number.NaN : clock.nowMs() - token.issuedAtMs;
    if (!(ageMs >= 0 && ageMs < 3_000_000)) token = { value: login(), issuedAtMs: clock.nowMs() };
    return token?.value ?? null;
  };
  return {
    url,
    anyone,
    admin: createClient({ baseUrl: url, token: adminToken }),
    clock,
    app,
    log: () => lines.join(''),
    connectionString,
    clientWith,
    another: () => serve(connectionString, clock, options, async () => undefined),
    async close() {
      await server.close();
      await app.close();
      await drop();
    },
  };
}

async function listen(server: FastifyInstance): Promise<string> {
  return await server.listen({ host: '127.0.0.1', port: 0 });
}
