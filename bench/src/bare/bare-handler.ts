import fastify, { type FastifyReply } from 'fastify';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { v7 } from 'uuid';
import type { RecordedRequest, RecordedRequests } from '../measure/recorded-requests.ts';
import { openPool, createTokenCheck, createTotalReader } from './bare-database.ts';
import { encodeUlid, decodeUuid } from './bare-identifiers.ts';
import { type RoomRow, printRoom, type NewToken, printToken } from './bare-resources.ts';
import { compileValues, seal, type SecretKey } from './bare-values.ts';

export interface BareHandlerOptions {
  readonly connectionString: string;
  readonly publicUrl: string;
  readonly token: string;
  readonly secretKey: SecretKey;
  /** The recorded room. */
  readonly roomId: string;
  readonly recorded: RecordedRequests;
}

/**
 * Runs a hand-written server for the three measured requests, with the same statements, caches and JSON as Foyer. Prints
 * its URL.
 */
export async function serveBare(optionsFile: string): Promise<void> {
  const options = JSON.parse(readFileSync(optionsFile, 'utf8')) as BareHandlerOptions;
  const { recorded, publicUrl } = options;
  const pool = openPool(options.connectionString);
  const isTokenValid = createTokenCheck(pool.query, recorded.tokenStatement);
  const readTotal = createTotalReader(pool.query, recorded.countStatement);
  const server = fastify({ logger: false });
  const readHeaders = { ...recorded.list.headers, 'cache-control': 'private, no-cache' };
  const writeHeaders = { ...recorded.create.headers, 'cache-control': 'no-store' };

  server.get('/api/v1/rooms', async (request, reply) => {
    if (!(await isTokenValid(request.headers.authorization))) return reply.code(401).send();
    const [page, total] = await Promise.all([pool.query(recorded.list.statements[0]), readTotal()]);
    const nowMs = Date.now();
    const rows = page.rows.slice(0, 20);
    const hasNext = page.rows.length > 20;
    const last = rows.at(-1);
    const data = rows.map((row: RoomRow) => printRoom(row, publicUrl, nowMs));
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
    return send(reply, readHeaders, JSON.stringify({ data, meta: { ...roomMeta, pagination } }));
  });

  server.get<{ Params: { id: string } }>('/api/v1/rooms/:id', async (request, reply) => {
    if (!(await isTokenValid(request.headers.authorization))) return reply.code(401).send();
    const { rows } = await pool.query(recorded.read.statements[0], [decodeUuid(request.params.id)]);
    if (rows.length === 0) return reply.code(404).send();
    const data = printRoom(rows[0], publicUrl, Date.now());
    return sendWithETag(reply, readHeaders, JSON.stringify({ data, meta: roomMeta }));
  });

  const fill = compileValues(recorded.create, options.roomId);
  server.post<{ Params: { id: string } }>('/api/v1/rooms/:id/tokens', async (request, reply) => {
    if (!(await isTokenValid(request.headers.authorization))) return reply.code(401).send();
    const { role, name } = request.body as { role: string; name: string };
    if (role !== 'attendee' || typeof name !== 'string') return reply.code(422).send();
    const roomId = decodeUuid(request.params.id);
    const id = v7();
    const token = `frm_${randomBytes(32).toString('base64url')}`;
    const newToken: NewToken = {
      id,
      roomId,
      now: new Date().toISOString().replace('Z', '000Z'),
      hash: createHash('sha256').update(token).digest(),
      sealed: seal(token, `room_tokens:${id}:token`, options.secretKey),
      requestId: randomUUID(),
      clientIp: request.ip,
      insertedRow: null,
    };
    const slug = await pool.inTransaction(async (query) => {
      const [, lockRoom, insert, record] = recorded.create.statements;
      const { rows: rooms } = await query(lockRoom, fill(1, newToken));
      newToken.insertedRow = (await query(insert, fill(2, newToken))).rows[0];
      await query(record, fill(3, newToken));
      return rooms[0].slug as string;
    });
    const data = printToken(newToken, { token, role, name }, `${publicUrl}/rooms/room_${encodeUlid(roomId)}/${slug}`);
    const { uses: _uses, last_usage: _lastUsage, ...stableData } = data;
    const body = JSON.stringify({ data, meta: tokenMeta });
    return sendWithETag(reply.code(201), writeHeaders, body, JSON.stringify({ data: stableData, meta: tokenMeta }));
  });

  const roomMeta = metaOf(recorded.read);
  const tokenMeta = metaOf(recorded.create);
  const fingerprint = fingerprintOf(recorded.list);
  console.log(`The bare handler is ready at ${await server.listen({ host: '127.0.0.1', port: 0 })}`);
  process.once('SIGTERM', () => process.exit());
}

function send(reply: FastifyReply, headers: Readonly<Record<string, string>>, body: string): FastifyReply {
  return reply.headers(headers).header('x-request-id', randomUUID()).send(body);
}

const relativeTimes = /"readable_(?:created|updated)_at":"[^"]*",?/g;

/**
 * Sends a strong entity tag, computed as in Foyer.
 * @param stableBody the body without counters such as `uses`; null if the body has none
 */
function sendWithETag(
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
  body: string,
  stableBody: string | null = null,
): FastifyReply {
  const tag = stableBody === null ? digest(body) : `${digest(stableBody)}.${digest(body)}`;
  return send(reply.header('etag', `"${tag}"`), headers, body);
}

function digest(text: string): string {
  return createHash('sha256').update(text.replace(relativeTimes, '')).digest('base64url').slice(0, 22);
}

function metaOf({ answer }: RecordedRequest): { include: string[]; custom: unknown[] } {
  return JSON.parse(answer).meta;
}

function fingerprintOf({ answer }: RecordedRequest): string {
  const cursor: string = JSON.parse(answer).meta.pagination.next_cursor;
  return JSON.parse(Buffer.from(cursor, 'base64url').toString())[0];
}
