import { verify } from '@node-rs/argon2';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { Statement, Value } from '../measure/recorded-requests.ts';

/** Input of the bare login server. */
export interface BareLoginOptions {
  readonly connectionString: string;
  /** Password hash for the endpoint that only checks the password. */
  readonly hash: string;
  readonly recorded: RecordedLogin;
}

/** The recorded statements of a login, and which of their values change with the login or the person. */
export interface RecordedLogin {
  readonly findPerson: Statement;
  readonly insertSession: Statement;
  /** Indexes of the values of `insertSession` that are generated for each login. */
  readonly varyingIndexes: readonly number[];
  readonly person: RecordedPerson;
  readonly answer: string;
}

/** The columns of the person that `insertSession` can have as values. */
export interface RecordedPerson {
  readonly id: string;
  readonly username: string;
  readonly password_hash: string;
}

/** The path that only checks the password. */
export const checkPath = '/check';

/**
 * Serves logins with only `node:http` and `pg`: reads the username and password, finds the person, checks the password
 * (at most two at a time, as Foyer does) and stores the session with Foyer's statement.
 */
export async function serveBareLogin(file: string): Promise<void> {
  const { connectionString, hash, recorded } = JSON.parse(await readFile(file, 'utf8')) as BareLoginOptions;
  const pool = new Pool({ connectionString, options: '-c timezone=UTC' });
  const check = twoAtOnce();
  async function logIn(username: string, password: string): Promise<boolean> {
    const { findPerson, insertSession } = recorded;
    const { rows } = await pool.query<RecordedPerson>({
      ...findPerson,
      name: 'find-person',
      values: findPerson.values.map(() => username),
    });
    const [person] = rows;
    if (!person || !(await check(() => verify(person.password_hash, password)))) return false;
    await pool.query({ name: 'insert-session', text: insertSession.text, values: valuesFor(recorded, person) });
    return true;
  }
  const server = createServer((request, response) => {
    void readBody(request)
      .then(({ username, password }) =>
        request.url === checkPath ? check(() => verify(hash, password)) : logIn(username, password),
      )
      .then((isRight) => {
        response.writeHead(isRight ? 200 : 422, { 'content-type': 'application/json' }).end(recorded.answer);
      })
      .catch((error: unknown) => {
        console.error(error);
        response.writeHead(500).end();
      });
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`bare login ready at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
  process.once('SIGTERM', () => process.exit(0));
}

/** The values to insert for a login of this person. Values that are equal in the recording stay equal. */
function valuesFor(recorded: RecordedLogin, person: RecordedPerson): unknown[] {
  const { values } = recorded.insertSession;
  const replacements = new Map<string, unknown>(
    (['id', 'username', 'password_hash'] as const).map((name) => [JSON.stringify(recorded.person[name]), person[name]]),
  );
  for (const index of recorded.varyingIndexes) {
    const value = values[index] ?? null;
    const key = JSON.stringify(value);
    if (!replacements.has(key)) replacements.set(key, generateValue(value));
  }
  return values.map((value) => {
    const key = JSON.stringify(value);
    return replacements.has(key) ? replacements.get(key) : raw(value);
  });
}

function generateValue(value: Value): unknown {
  const bytes = raw(value);
  if (Buffer.isBuffer(bytes)) return randomBytes(bytes.length);
  return typeof bytes === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(bytes) ? uuidv7() : bytes;
}

function raw(value: Value): unknown {
  return typeof value === 'object' && value !== null && 'bytes' in value ? Buffer.from(value.bytes, 'base64') : value;
}

async function readBody(request: IncomingMessage): Promise<{ username: string; password: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as { username: string; password: string };
}

/** Limits concurrency to two, as Foyer does: more hashes at once would compete for memory. */
function twoAtOnce(): <Outcome>(act: () => Promise<Outcome>) => Promise<Outcome> {
  const waiting: (() => void)[] = [];
  let free = 2;
  return async (act) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await act();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
