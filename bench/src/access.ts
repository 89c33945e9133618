import { anyone, bare, endpoint, holders } from '@foyer/contract/conventions/endpoint.ts';
import { object, text } from '@foyer/contract/conventions/field.ts';
import { createClient } from '@foyer/sdk';
import type { FastifyInstance } from 'fastify';
import { randomBytes } from 'node:crypto';
import { requestServices } from '../../server/src/api.ts';
import type { App } from '../../server/src/app.ts';
import { createAuthenticator } from '../../server/src/modules/auth/index.ts';
import { route, value } from '../../server/src/platform/http/input/call.ts';
import { guard } from '../../server/src/platform/http/input/guard.ts';
import { createHttpServer, mountRoutes } from '../../server/src/platform/http/server/http-server.ts';
import type { Child } from './child.ts';
import { withClient } from './database.ts';
import { measureLogins } from './scenarios/logging-in.ts';
import { median } from './measure/median.ts';
import { createBenchApp, type Installation } from './create-bench-app.ts';

export interface AccessOptions {
  readonly installation: Installation;
  readonly foyer: Child;
  readonly username: string;
  readonly password: string;
  readonly tokens: number;
  readonly rounds: number;
  readonly seconds: number;
}

/** Measures authorization and logins. Compare ratios; absolute figures depend on the machine. */
export async function benchAccess(options: AccessOptions): Promise<string> {
  const { installation, foyer, username, password } = options;
  const anonymous = createClient({ baseUrl: foyer.url, token: null });
  const { access_token: token } = await anonymous.loginAdmin({ body: { username, password } });
  const app = await createBenchApp(installation);
  try {
    return [
      ...(await measureAuthorization(app, token, options.rounds)),
      ...(await measureManyTokens(app, token, options)),
      ...(await measureLogins(app, { ...options, connectionString: installation.connectionString })),
    ].join('\n');
  } finally {
    await app.close();
  }
}

const answer = bare(object({ message: text() }));
const common = { method: 'GET', tag: 'Bench', summary: 'Says hello', answer } as const;
const open = endpoint({ ...common, path: '/bench/open', access: anyone });
const guarded = endpoint({ ...common, path: '/bench/guarded', access: holders('manage-rooms-tokens') });

/** Compares two identical routes, one of them with authentication and authorization. */
async function measureAuthorization(app: App, token: string, rounds: number): Promise<string[]> {
  const server = createHttpServer({
    requireHttps: false,
    trustProxy: false,
    tls: null,
    logger: app.dependencies.logger,
  });
  const { db, invalidations, clock, settings } = app.dependencies;
  const authenticate = createAuthenticator(db, invalidations, clock, settings);
  const hello = () => value({ message: 'Hello' });
  mountRoutes(server, [route(open, hello), route(guarded, hello)], requestServices(app, authenticate));
  await server.ready();
  const figures = { open: [] as number[], guarded: [] as number[] };
  for (let round = 0; round < rounds + 1; round++) {
    for (const name of round % 2 ? (['open', 'guarded'] as const) : (['guarded', 'open'] as const)) {
      const microseconds = await microsecondsPerRequest(server, `/api/v1/bench/${name}`, token);
      if (round > 0) figures[name].push(microseconds);
    }
  }
  await server.close();
  const principal = await authenticate(token);
  const cachedCheck = await microsecondsOf(200_000, () => authenticate(token));
  const permissionCheck = await microsecondsOf(200_000, () => guard(guarded, principal));
  const openRoute = median(figures.open);
  const guardedRoute = median(figures.guarded);
  return [
    'Authorization (one process, no network)',
    `  a route without access checks          ${openRoute.toFixed(1)} µs per request`,
    `  the same with token and permission ${guardedRoute.toFixed(1)} µs, ${(guardedRoute - openRoute).toFixed(1)} µs more, ratio ${(openRoute / guardedRoute).toFixed(2)}`,
    `  the cached token check in it       ${cachedCheck.toFixed(2)} µs`,
    `  the permission check in it         ${permissionCheck.toFixed(2)} µs`,
  ];
}

async function microsecondsPerRequest(server: FastifyInstance, url: string, token: string): Promise<number> {
  return await microsecondsOf(5000, async () => {
    const { statusCode } = await server.inject({ method: 'GET', url, headers: { authorization: `Bearer ${token}` } });
    if (statusCode !== 200) throw new Error(`Unexpected status ${statusCode}`);
  });
}

async function microsecondsOf(times: number, act: () => unknown): Promise<number> {
  const startedMs = performance.now();
  for (let time = 0; time < times; time++) await act();
  return ((performance.now() - startedMs) * 1000) / times;
}

/** Measures the uncached token check, with few and with many tokens in the table. */
async function measureManyTokens(
  app: App,
  token: string,
  { installation, tokens, rounds }: AccessOptions,
): Promise<string[]> {
  const few = await measureUncachedCheck(app, token, rounds);
  const lookup = await measureLookup(installation, rounds);
  await withClient(installation.connectionString, async (client) => {
    for (const statement of tokenStatements(tokens)) await client.query(statement);
  });
  const many = await measureUncachedCheck(app, token, rounds);
  return [
    '',
    `The uncached token check (${tokens} live tokens)`,
    `  with few tokens       ${few.toFixed(0)} µs`,
    `  with ${tokens}         ${many.toFixed(0)} µs, ratio ${(few / many).toFixed(2)}`,
    `  a bare look-up by key ${lookup.toFixed(0)} µs`,
  ];
}

async function measureUncachedCheck(app: App, token: string, rounds: number): Promise<number> {
  const { db, invalidations, clock, settings } = app.dependencies;
  const authenticate = createAuthenticator(db, { ...invalidations, isListening: () => false }, clock, settings);
  const figures: number[] = [];
  for (let round = 0; round < rounds + 1; round++) figures.push(await microsecondsOf(1000, () => authenticate(token)));
  return median(figures.slice(1));
}

async function measureLookup({ connectionString }: Installation, rounds: number): Promise<number> {
  return await withClient(connectionString, async (client) => {
    const query = {
      name: 'bare',
      text: 'select * from access_tokens where token_hash = $1',
      values: [randomBytes(32)],
    };
    const figures: number[] = [];
    for (let round = 0; round < rounds + 1; round++)
      figures.push(await microsecondsOf(1000, () => client.query(query)));
    return median(figures.slice(1));
  });
}

/** Creates sessions of the administrator, each with valid access and refresh tokens. */
function tokenStatements(count: number): string[] {
  return [
    `create temporary table grown as select uuidv7() as family_id, number from generate_series(1, ${count}) number`,
    `insert into token_families (id, client_id, population, admin_id, scopes, created_at, expires_at)
     select grown.family_id, model.client_id, 'admins', model.admin_id, array['*'], now(), now() + interval '30 days'
     from grown, (select client_id, admin_id from token_families where admin_id is not null limit 1) model`,
    `insert into access_tokens (token_hash, family_id, scopes, expires_at, created_at)
     select sha256(('access ' || number)::bytea), family_id, array['*'], now() + interval '1 hour', now() from grown`,
    `insert into refresh_tokens (token_hash, family_id, scopes, expires_at, created_at)
     select sha256(('refresh ' || number)::bytea), family_id, array['*'], now() + interval '30 days', now() from grown`,
    'vacuum analyze token_families, access_tokens, refresh_tokens',
  ];
}
