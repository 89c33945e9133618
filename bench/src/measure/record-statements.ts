import type { CompiledQuery, QueryResult } from 'kysely';
import { buildApi } from '../../../server/src/api.ts';
import { PreparedConnection } from '../../../server/src/database/prepared-connection.ts';
import type { Scenario } from './load.ts';
import type { RecordedRequest, RecordedRequests, Statement, Value } from './recorded-requests.ts';
import { createBenchApp, type Installation } from '../create-bench-app.ts';

/** Runs the scenarios in this process and records their statements with warm caches. */
export async function recordStatements(
  installation: Installation,
  token: string,
  scenarios: Readonly<Record<'list' | 'read' | 'create', Scenario>>,
): Promise<RecordedRequests> {
  const app = await createBenchApp(installation);
  const server = await buildApi(app, { requireHttps: false, trustProxy: false, tls: null });
  const recorder = recordQueries();
  try {
    async function send({ method, paths, body, status }: Scenario): Promise<RecordedRequest> {
      const response = await server.inject({
        method,
        url: paths[0] ?? '/',
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === null ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === null ? {} : { payload: body }),
      });
      if (response.statusCode !== status) throw new Error(`Unexpected status ${response.statusCode}: ${response.body}`);
      return { statements: recorder.take(), answer: response.body, headers: sharedHeaders(response.headers) };
    }
    const cold = await send(scenarios.list);
    const list = await send(scenarios.list);
    await send(scenarios.read);
    const read = await send(scenarios.read);
    await send(scenarios.create);
    const create = await send(scenarios.create);
    return {
      tokenStatement: findStatement(cold, /\baccess_tokens\b/),
      countStatement: findStatement(cold, /\bcount\(\*\)/),
      list,
      read,
      create,
    };
  } finally {
    recorder.end();
    await server.close();
    await app.close();
  }
}

/** Headers that differ between two responses to the same request are excluded. */
const varyingHeaders = new Set(['connection', 'content-length', 'date', 'etag', 'x-request-id']);

function sharedHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const shared = Object.entries(headers).filter(([name]) => !varyingHeaders.has(name));
  return Object.fromEntries(shared.map(([name, value]) => [name, String(value)]));
}

function findStatement({ statements }: RecordedRequest, pattern: RegExp): Statement {
  const statement = statements.find(({ text }) => pattern.test(text));
  if (!statement) throw new Error(`Foyer no longer runs a statement that matches ${String(pattern)}.`);
  return statement;
}

/** Records all statements that this process sends to PostgreSQL. `take` returns and clears them. */
export function recordQueries(): { take(): Statement[]; end(): void } {
  const { prototype } = PreparedConnection;
  const original = prototype.executeQuery;
  let recorded: Statement[] = [];
  prototype.executeQuery = async function executeQuery<Row>(this: PreparedConnection, query: CompiledQuery) {
    recorded.push({ text: query.sql, values: query.parameters.map(printValue) });
    return await original.call<PreparedConnection, [CompiledQuery], Promise<QueryResult<Row>>>(this, query);
  };
  return {
    take() {
      const statements = recorded;
      recorded = [];
      return statements;
    },
    end: () => void (prototype.executeQuery = original),
  };
}

function printValue(value: unknown): Value {
  return Buffer.isBuffer(value) ? { bytes: value.toString('base64') } : (value as Value);
}
