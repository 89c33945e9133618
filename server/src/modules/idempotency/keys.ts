import { type Selectable, sql } from 'kysely';
import type { IdempotencyKeys as KeysTable } from '../../database/tables.ts';
import { createHmac } from 'node:crypto';
import type { Dependencies } from '../../dependencies.ts';
import type { IdempotencyKeys, StoredAnswer, KeyedRequest } from '../../platform/http/input/idempotency.ts';
import { encryptedColumn } from '../../database/encrypted-column.ts';

const retentionMs = 86_400_000;
/** When the claim of a killed process expires. Longer than any request with a provider call can take. */
const claimMs = 60_000;

type KeyRow = Omit<Selectable<KeysTable>, 'caller' | 'key'>;

/** Answers are stored encrypted, since they may contain secrets that are shown once. */
export function createIdempotencyKeys({
  db,
  clock,
  secretBox,
  fingerprintKey,
}: Pick<Dependencies, 'db' | 'clock' | 'secretBox' | 'fingerprintKey'>): IdempotencyKeys {
  // HMAC: a plain hash of a body with a password could be attacked offline.
  const fingerprintOf = ({ content }: KeyedRequest) =>
    createHmac('sha256', fingerprintKey).update(content).digest('base64url');
  async function find({ caller, key }: KeyedRequest): Promise<KeyRow | null> {
    const { rows } = await sql<KeyRow>`
      select id, fingerprint, status, etag, body_sealed, resource_id, body_bytes, claimed_at from idempotency_keys
      where caller = ${caller} and key = ${key}`.execute(db);
    return rows[0] ?? null;
  }
  async function insert(keyedRequest: KeyedRequest, answer: StoredAnswer | null): Promise<boolean> {
    const { claimId: id, caller, key } = keyedRequest;
    const sealed = answer && (await seal(id, answer));
    const { rows } = await sql`
      insert into idempotency_keys (id, caller, key, fingerprint, status, etag, body_sealed, resource_id, body_bytes, claimed_at)
      values (${id}, ${caller}, ${key}, ${fingerprintOf(keyedRequest)}, ${answer?.status ?? null}, ${answer?.etag ?? null}, ${sealed},
        ${answer?.omitted?.resourceId ?? null}, ${bytesOf(answer)}, ${clock.now()})
      on conflict (caller, key) do nothing returning id`.execute(db);
    return rows.length > 0;
  }
  async function seal(id: string, { body }: StoredAnswer): Promise<string | null> {
    return body === null ? null : await secretBox.seal(body, associatedDataOf(id));
  }
  async function open(row: KeyRow): Promise<string | null> {
    return row.body_sealed === null ? null : await secretBox.open(row.body_sealed, associatedDataOf(row.id));
  }
  async function lockKey({ caller, key }: KeyedRequest): Promise<boolean> {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${`${caller} ${key}`}, 0)) as locked`.execute(db);
    return rows[0]?.locked === true;
  }
  return {
    async claim(keyedRequest, claimKind) {
      if (claimKind === 'by-transaction' && !(await lockKey(keyedRequest))) return 'busy';
      const row = await find(keyedRequest);
      if (row) {
        const ageMs = clock.nowMs() - Date.parse(row.claimed_at);
        const isExpired = ageMs >= (row.status === null ? claimMs : retentionMs);
        if (!isExpired) {
          if (row.fingerprint !== fingerprintOf(keyedRequest)) return 'different-request';
          if (row.status === null) return 'busy';
          const isOmitted = row.body_bytes > 0 && row.body_sealed === null;
          const omitted = isOmitted ? { resourceId: row.resource_id } : null;
          return { status: row.status, etag: row.etag, body: await open(row), omitted };
        }
        await sql`delete from idempotency_keys where id = ${row.id}`.execute(db);
      }
      if (claimKind === 'by-row' && !(await insert(keyedRequest, null))) return 'busy';
      return null;
    },
    async storeAnswer(keyedRequest, answer) {
      if (await insert(keyedRequest, answer)) return;
      await sql`
        update idempotency_keys set status = ${answer.status}, etag = ${answer.etag}, body_sealed = ${await seal(keyedRequest.claimId, answer)},
          resource_id = ${answer.omitted?.resourceId ?? null}, body_bytes = ${bytesOf(answer)}
        where id = ${keyedRequest.claimId}`.execute(db);
    },
    async release({ claimId }) {
      await sql`delete from idempotency_keys where id = ${claimId} and status is null`.execute(db);
    },
  };
}

/** 1 for an answer that was too long to store, so that a replay can tell it from an empty one. */
function bytesOf(answer: StoredAnswer | null): number {
  if (!answer) return 0;
  return answer.omitted ? 1 : Buffer.byteLength(answer.body ?? '');
}

function associatedDataOf(id: string): string {
  return `idempotency_keys ${id}`;
}

export const idempotencyBodyColumn = encryptedColumn('idempotency_keys', 'body_sealed', associatedDataOf);
