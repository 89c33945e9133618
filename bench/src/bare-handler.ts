import fastify, { type FastifyReply } from 'fastify';
import { createCipheriv, createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { v7 } from 'uuid';
import type { RecordedRequest, Recording, Statement, Value } from './recording.ts';

export interface BareParts {
  readonly connectionString: string;
  readonly publicUrl: string;
  readonly token: string;
  readonly secretKey: { readonly id: string; readonly base64: string };
  /** The room of the recording. */
  readonly roomId: string;
  readonly recording: Recording;
}

/**
 * What somebody would write by hand for these three requests alone: the statements, the same caches, and the JSON.
 * Prints where it serves.
 */
export async function serveBare(partsFile: string): Promise<void> {
  const parts = JSON.parse(readFileSync(partsFile, 'utf8')) as BareParts;
  const { recording, publicUrl } = parts;
  const run = openPool(parts.connectionString);
  const isKnown = rememberTokens(run, recording.token);
  const readTotal = rememberTotal(run, recording.total);
  const server = fastify({ logger: false });
  const reads = { ...recording.list.headers, 'cache-control': 'private, no-cache' };
  const writes = { ...recording.create.headers, 'cache-control': 'no-store' };

  server.get('/api/v1/rooms', async (request, reply) => {
    if (!(await isKnown(request.headers.authorization))) return reply.code(401).send();
    const [page, total] = await Promise.all([run(recording.list.statements[0]), readTotal()]);
    const nowMs = Date.now();
    const rows = page.rows.slice(0, 20);
    const hasNext = page.rows.length > 20;
    const last = rows.at(-1);
    const data = rows.map((row: RoomRow) => roomOf(row, publicUrl, nowMs));
    const cursor = hasNext ? JSON.stringify([fingerprint, '2', last.sort_0, last.sort_1]) : null;
    const pagination = {
      total,
      count: rows.length,
      per_page: 20,
      current_page: 1,
      total_pages: Math.max(1, Math.ceil(total / 20)),
      next_cursor: cursor === null ? null : Buffer.from(cursor).toString('base64url'),
      links: { previous: null, next: hasNext ? `${publicUrl}${request.url}&page=2` : null },
    };
    return send(reply, reads, JSON.stringify({ data, meta: { ...roomMeta, pagination } }));
  });

  server.get<{ Params: { id: string } }>('/api/v1/rooms/:id', async (request, reply) => {
    if (!(await isKnown(request.headers.authorization))) return reply.code(401).send();
    const { rows } = await run(recording.read.statements[0], [uuidOf(request.params.id)]);
    if (rows.length === 0) return reply.code(404).send();
    const data = roomOf(rows[0], publicUrl, Date.now());
    return sendTagged(reply, reads, JSON.stringify({ data, meta: roomMeta }));
  });

  const fill = fillers(recording.create, parts.roomId);
  server.post<{ Params: { id: string } }>('/api/v1/rooms/:id/tokens', async (request, reply) => {
    if (!(await isKnown(request.headers.authorization))) return reply.code(401).send();
    const { role, name } = request.body as { role: string; name: string };
    if (role !== 'attendee' || typeof name !== 'string') return reply.code(422).send();
    const roomId = uuidOf(request.params.id);
    const id = v7();
    const token = `frm_${randomBytes(32).toString('base64url')}`;
    const made: Made = {
      id,
      roomId,
      now: new Date().toISOString().replace('Z', '000Z'),
      hash: createHash('sha256').update(token).digest(),
      sealed: seal(token, `room_tokens:${id}:token`, parts.secretKey),
      requestId: randomUUID(),
      address: request.ip,
      row: null,
    };
    const slug = await run.inTransaction(async (send) => {
      const [, lockRoom, insert, record] = recording.create.statements;
      const { rows: rooms } = await send(lockRoom, fill(1, made));
      made.row = (await send(insert, fill(2, made))).rows[0];
      await send(record, fill(3, made));
      return rooms[0].slug as string;
    });
    const data = tokenOf(made, { token, role, name }, `${publicUrl}/rooms/room_${ulid(roomId)}/${slug}`);
    return sendTagged(reply.code(201), writes, JSON.stringify({ data, meta: tokenMeta }));
  });

  const roomMeta = metaOf(recording.read);
  const tokenMeta = metaOf(recording.create);
  const fingerprint = fingerprintOf(recording.list);
  console.log(`The bare handler is ready at ${await server.listen({ host: '127.0.0.1', port: 0 })}`);
  process.once('SIGTERM', () => process.exit());
}

function send(reply: FastifyReply, headers: Readonly<Record<string, string>>, body: string): FastifyReply {
  return reply.headers(headers).header('x-request-id', randomUUID()).send(body);
}

const relativeTimes = /"readable_(?:created|updated)_at":"[^"]*",?/g;

/** With the strong entity tag that the contract asks for: the same part of the same body, hashed once. */
function sendTagged(reply: FastifyReply, headers: Readonly<Record<string, string>>, body: string): FastifyReply {
  const state = createHash('sha256').update(body.replace(relativeTimes, '')).digest('base64url');
  return send(reply.header('etag', `"${state.slice(0, 22)}"`), headers, body);
}

function metaOf({ answer }: RecordedRequest): { include: string[]; custom: unknown[] } {
  return JSON.parse(answer).meta;
}

function fingerprintOf({ answer }: RecordedRequest): string {
  const cursor: string = JSON.parse(answer).meta.pagination.next_cursor;
  return JSON.parse(Buffer.from(cursor, 'base64url').toString())[0];
}

type Send = (statement: Statement | undefined, values?: readonly unknown[]) => Promise<pg.QueryResult>;
type Run = Send & { inTransaction<Outcome>(act: (send: Send) => Promise<Outcome>): Promise<Outcome> };

/** Prepared statements over ten connections, instants as text. */
function openPool(connectionString: string): Run {
  const asText = new Set([1082, 1114, 1184, 1700]);
  const pool = new pg.Pool({
    connectionString,
    max: 10,
    keepAlive: true,
    idleTimeoutMillis: 30_000,
    options: '-c timezone=UTC -c lock_timeout=10s -c idle_in_transaction_session_timeout=60s',
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        asText.has(oid) ? (text: string) => text : pg.types.getTypeParser(oid, format),
    },
  });
  const names = new Map<string, string>();
  function prepared({ text, values }: Statement, given: readonly unknown[] | undefined): pg.QueryConfig {
    let name = names.get(text);
    if (name === undefined) names.set(text, (name = `b${names.size}`));
    return { name, text, values: [...(given ?? values.map(readValue))] };
  }
  const send =
    (client: pg.Pool | pg.PoolClient): Send =>
    (statement, values) => {
      if (!statement) throw new Error('The recording is incomplete.');
      return client.query(prepared(statement, values));
    };
  return Object.assign(send(pool), {
    async inTransaction<Outcome>(act: (run: Send) => Promise<Outcome>) {
      const client = await pool.connect();
      const run = send(client);
      try {
        await run({ text: 'begin', values: [] });
        const outcome = await act(run);
        await run({ text: 'commit', values: [] });
        return outcome;
      } catch (error) {
        await run({ text: 'rollback', values: [] });
        throw error;
      } finally {
        client.release();
      }
    },
  });
}

function readValue(value: Value): unknown {
  return typeof value === 'object' && value !== null ? Buffer.from(value.bytes, 'base64') : value;
}

function rememberTokens(run: Run, statement: Statement): (header: string | undefined) => Promise<boolean> {
  const known = new Map<string, number>();
  return async (header) => {
    if (!header?.startsWith('Bearer ')) return false;
    const token = header.slice(7);
    const until = known.get(token);
    if (until !== undefined && until > Date.now()) return true;
    const hash = createHash('sha256').update(token).digest();
    const { rows } = await run(statement, tokenValues(statement, hash));
    if (rows.length > 0) known.set(token, Date.now() + 10_000);
    return rows.length > 0;
  };
}

/** The hash of the token and the instant stand wherever they stood when the statement was recorded. */
function tokenValues({ values }: Statement, hash: Buffer): unknown[] {
  const now = new Date().toISOString();
  return values.map((value) => {
    if (typeof value === 'object' && value !== null) return hash;
    return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? now : value;
  });
}

function rememberTotal(run: Run, statement: Statement): () => Promise<number> {
  let known = { total: 0, until: 0 };
  return async () => {
    if (known.until <= Date.now()) {
      const { rows } = await run(statement);
      known = { total: rows[0].total, until: Date.now() + 2000 };
    }
    return known.total;
  };
}

interface RoomRow {
  readonly id: string;
  readonly customer_id: string;
  readonly account_id: string;
  readonly subscription_id: string;
  readonly room_name: string;
  readonly status: string;
  readonly is_public: boolean;
  readonly room_type: string;
  readonly slug: string;
  readonly room_features: unknown;
  readonly room_settings: unknown;
  readonly room_metadata: unknown;
  readonly created_at: string;
  readonly updated_at: string;
}

function roomOf(row: RoomRow, publicUrl: string, nowMs: number) {
  const text = ulid(row.id);
  const id = `room_${text}`;
  const created = instant(row.created_at);
  const updated = instant(row.updated_at);
  return {
    object: 'Room',
    id,
    uuid: row.id,
    ulid: text,
    customer_id: `cust_${ulid(row.customer_id)}`,
    account_id: `acct_${ulid(row.account_id)}`,
    subscription_id: `sub_${ulid(row.subscription_id)}`,
    room_name: row.room_name,
    status: row.status,
    is_public: row.is_public,
    room_type: row.room_type,
    slug: row.slug,
    url: `${publicUrl}/rooms/${id}/${row.slug}`,
    room_features: row.room_features,
    room_settings: row.room_settings,
    room_metadata: row.room_metadata,
    created_at: created,
    updated_at: updated,
    readable_created_at: ago(created, nowMs),
    readable_updated_at: ago(updated, nowMs),
  };
}

/** What a new token is made of. */
interface Made {
  readonly id: string;
  readonly roomId: string;
  readonly now: string;
  readonly hash: Buffer;
  readonly sealed: string;
  readonly requestId: string;
  readonly address: string;
  row: Record<string, unknown> | null;
}

function tokenOf(made: Made, { token, role, name }: Record<'token' | 'role' | 'name', string>, roomUrl: string) {
  const row = made.row as unknown as Pick<RoomRow, 'created_at' | 'updated_at'>;
  const text = ulid(made.id);
  const nowMs = Date.now();
  const created = instant(row.created_at);
  const updated = instant(row.updated_at);
  return {
    object: 'RoomToken',
    id: `rtok_${text}`,
    uuid: made.id,
    ulid: text,
    room_id: `room_${ulid(made.roomId)}`,
    token,
    role,
    name,
    url: `${roomUrl}?token=${token}`,
    not_before: null,
    expires_at: null,
    max_uses: null,
    uses: 0,
    user_id: null,
    batch_id: null,
    batch_row: null,
    last_usage: null,
    created_at: created,
    updated_at: updated,
    readable_created_at: ago(created, nowMs),
    readable_updated_at: ago(updated, nowMs),
  };
}

const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** For each recorded value what stands in its place in another request: what was random or of the time is made anew. */
function fillers(
  { statements, answer }: RecordedRequest,
  roomId: string,
): (index: number, made: Made) => readonly unknown[] {
  const { uuid, created_at: now } = JSON.parse(answer).data as { uuid: string; created_at: string };
  const plans = statements.map(({ values }) => values.map((value) => fillerOf(value, { uuid, now, roomId })));
  return (index, made) => (plans[index] ?? []).map((fill) => fill(made));
}

function fillerOf(value: Value, recorded: { uuid: string; now: string; roomId: string }): (made: Made) => unknown {
  if (typeof value === 'object' && value !== null) return (made) => made.hash;
  if (typeof value !== 'string') return () => value;
  if (value === recorded.uuid) return (made) => made.id;
  if (value === recorded.roomId) return (made) => made.roomId;
  if (value === recorded.now) return (made) => made.now;
  if (value === '127.0.0.1') return (made) => made.address;
  if (value.startsWith('eyJ')) return (made) => made.sealed;
  if (value.startsWith('{')) {
    return (made) => JSON.stringify({ ...made.row, token_hash: '********', token_sealed: '********' });
  }
  // Keys of events grow with time, those of requests do not; whose they are otherwise stays the same.
  if (uuidShape.test(value) && value.charAt(14) === '7' && isRecent(value, recorded.now)) return () => v7();
  if (uuidShape.test(value) && value.charAt(14) === '4') return (made) => made.requestId;
  return () => value;
}

function isRecent(uuid: string, now: string): boolean {
  const ms = Number.parseInt(uuid.replace('-', '').slice(0, 12), 16);
  return Math.abs(ms - Date.parse(now)) < 1000;
}

function seal(text: string, place: string, key: BareParts['secretKey']): string {
  const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid: key.id, ctx: place })).toString(
    'base64url',
  );
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key.base64, 'base64'), iv);
  cipher.setAAD(Buffer.from(header));
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  const [printedIv, printed, tag] = [iv, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return `${header}..${printedIv}.${printed}.${tag}`;
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

function ulid(uuid: string): string {
  const hex = uuid.replaceAll('-', '');
  let text = '';
  // 130 bits: two of padding, then four for each digit.
  let bits = 2;
  let rest = 0;
  for (let index = 0; index < 32; index++) {
    const code = hex.charCodeAt(index);
    rest = (rest << 4) | (code > 96 ? code - 87 : code - 48);
    bits += 4;
    if (bits < 5) continue;
    bits -= 5;
    text += alphabet.charAt((rest >> bits) & 31);
    rest &= (1 << bits) - 1;
  }
  return text;
}

/** From `room_` and 26 characters. */
function uuidOf(id: string): string {
  let value = 0n;
  for (const character of id.slice(5)) value = (value << 5n) | BigInt(alphabet.indexOf(character));
  const hex = value.toString(16).padStart(32, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** From `2026-01-02 03:04:05.123+00`. */
function instant(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(6, '0')}Z`;
}

const spans = [
  ['year', 365.2425 * 86_400],
  ['month', 30.436875 * 86_400],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;
const format = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const said = new Map<string, string>();

function ago(text: string, nowMs: number): string {
  const seconds = Math.trunc((nowMs - Date.parse(text)) / 1000);
  if (seconds <= 0) return 'now';
  const [unit, span] = spans.find(([name, length]) => seconds >= (name === 'month' ? 30 * 86_400 : length)) ?? [
    'second' as const,
    1,
  ];
  const count = Math.max(1, Math.trunc(seconds / span));
  const key = `${unit} ${count}`;
  let phrase = said.get(key);
  if (phrase === undefined) said.set(key, (phrase = format.format(-count, unit)));
  return phrase;
}
