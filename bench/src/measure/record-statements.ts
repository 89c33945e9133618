import { Client } from 'pg';
import { buildApi } from '../../../server/src/api.ts';
import { listenerCheck } from '../../../server/src/database/invalidation-bus.ts';
import type { Scenario } from './load.ts';
import type { RecordedRequest, Recording, Statement, Value } from './recording.ts';
import { createBenchApp, type Installation } from '../create-bench-app.ts';

/** Runs each scenario twice in this process and records its statements with warm caches. */
export async function recordStatements(
  installation: Installation,
  token: string,
  scenarios: Readonly<Record<'list' | 'read' | 'create', Scenario>>,
): Promise<Recording> {
  const app = await createBenchApp(installation);
  const server = await buildApi(app, { requireHttps: false, trustProxy: false, tls: null });
  const recorder = recordQueries();
  try {
    async function send({ method, paths, body, status }: Scenario): Promise<RecordedRequest> {
      const answered = await server.inject({
        method,
        url: paths[0] ?? '/',
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === null ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === null ? {} : { payload: body }),
      });
      if (answered.statusCode !== status) throw new Error(`Answered with ${answered.statusCode}: ${answered.body}`);
      return { statements: recorder.take(), answer: answered.body, headers: sharedHeaders(answered.headers) };
    }
    const cold = await send(scenarios.list);
    const list = await send(scenarios.list);
    const read = await send(scenarios.read);
    await send(scenarios.create);
    const create = await send(scenarios.create);
    return {
      token: find(cold, /\baccess_tokens\b/),
      total: find(cold, /\bcount\(\*\)/),
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

function find({ statements }: RecordedRequest, pattern: RegExp): Statement {
  const statement = statements.find(({ text }) => pattern.test(text));
  if (!statement) throw new Error(`Foyer no longer runs a statement that matches ${String(pattern)}.`);
  return statement;
}

type Query = (...args: unknown[]) => unknown;

/** Records all statements that this process sends to PostgreSQL. */
export function recordQueries(): { take(): Statement[]; end(): void } {
  const prototype = Client.prototype as unknown as { query: Query };
  const original = prototype.query;
  let recorded: Statement[] = [];
  prototype.query = function query(this: Client, ...args: unknown[]) {
    const [first, second] = args;
    const { text, values } = typeof first === 'string' ? { text: first, values: second } : (first as QueryConfig);
    if (text !== listenerCheck) recorded.push({ text, values: Array.isArray(values) ? values.map(printValue) : [] });
    return original.apply(this, args);
  };
  return {
    take() {
      const taken = recorded;
      recorded = [];
      return taken;
    },
    end: () => void (prototype.query = original),
  };
}

interface QueryConfig {
  readonly text: string;
  readonly values?: unknown;
}

function printValue(value: unknown): Value {
  return Buffer.isBuffer(value) ? { bytes: value.toString('base64') } : (value as Value);
}
