import { sql } from 'kysely';
import { createHmac } from 'node:crypto';
import type { Dependencies } from '../../dependencies.ts';
import type { IdempotencyKeys, StoredAnswer, IdempotencyKeyUse } from '../../platform/http/input/idempotency.ts';
import { newUuid, type Uuid } from '../../platform/identity/identifier.ts';
import { encryptedColumn } from '../../database/encrypted-column.ts';

const keptMs = 86_400_000;
/** A request that asks a provider and was killed leaves its key taken; longer than any such request may last. */
const takenMs = 60_000;

interface KeyRow {
  readonly id: string;
  readonly fingerprint: string;
  readonly status: number | null;
  readonly etag: string | null;
  readonly body_sealed: string | null;
  readonly resource_id: Uuid | null;
  readonly body_bytes: number;
  readonly claimed_at: string;
}

/** Keys and their answers in the database, the answers sealed: they may hold what is shown once. */
export function keepIdempotencyKeys({
  db,
  clock,
  secretBox,
  fingerprintSeed,
}: Pick<Dependencies, 'db' | 'clock' | 'secretBox' | 'fingerprintSeed'>): IdempotencyKeys {
  // Keyed: a fingerprint of a body with a password must not help to guess it.
  const fingerprintOf = ({ asked }: IdempotencyKeyUse) =>
    createHmac('sha256', fingerprintSeed).update(asked).digest('base64url');
  async function find({ caller, key }: IdempotencyKeyUse): Promise<KeyRow | null> {
    const { rows } = await sql<KeyRow>`
      select id, fingerprint, status, etag, body_sealed, resource_id, body_bytes, claimed_at from idempotency_keys
      where caller = ${caller} and key = ${key}`.execute(db);
    return rows[0] ?? null;
  }
  async function insert(use: IdempotencyKeyUse, answer: StoredAnswer | null): Promise<boolean> {
    const { caller, key } = use;
    const id = newUuid();
    const sealed = answer && (await seal(id, answer));
    const { rows } = await sql`
      insert into idempotency_keys (id, caller, key, fingerprint, status, etag, body_sealed, resource_id, body_bytes, claimed_at)
      values (${id}, ${caller}, ${key}, ${fingerprintOf(use)}, ${answer?.status ?? null}, ${answer?.etag ?? null}, ${sealed},
        ${answer?.omitted?.resourceId ?? null}, ${bytesOf(answer)}, ${clock.now()})
      on conflict (caller, key) do nothing returning id`.execute(db);
    return rows.length > 0;
  }
  async function seal(id: string, { body }: StoredAnswer): Promise<string | null> {
    return body === null ? null : await secretBox.seal(body, placeOf(id));
  }
  async function open(row: KeyRow): Promise<string | null> {
    return row.body_sealed === null ? null : await secretBox.open(row.body_sealed, placeOf(row.id));
  }
  async function isAlone({ caller, key }: IdempotencyKeyUse): Promise<boolean> {
    const { rows } = await sql<{ alone: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${`${caller} ${key}`}, 0)) as alone`.execute(db);
    return rows[0]?.alone === true;
  }
  return {
    async claim(use, held) {
      if (held === 'by-transaction' && !(await isAlone(use))) return 'busy';
      const found = await find(use);
      if (found) {
        const ageMs = clock.nowMs() - Date.parse(found.claimed_at);
        const isOver = ageMs >= (found.status === null ? takenMs : keptMs);
        if (!isOver) {
          if (found.fingerprint !== fingerprintOf(use)) return 'other';
          if (found.status === null) return 'busy';
          const isOmitted = found.body_bytes > 0 && found.body_sealed === null;
          const omitted = isOmitted ? { resourceId: found.resource_id } : null;
          return { status: found.status, etag: found.etag, body: await open(found), omitted };
        }
        await sql`delete from idempotency_keys where id = ${found.id}`.execute(db);
      }
      if (held === 'by-row' && !(await insert(use, null))) return 'busy';
      return null;
    },
    async keep(use, answer) {
      if (await insert(use, answer)) return;
      const own = await find(use);
      if (!own) return;
      await sql`
        update idempotency_keys set status = ${answer.status}, etag = ${answer.etag}, body_sealed = ${await seal(own.id, answer)},
          resource_id = ${answer.omitted?.resourceId ?? null}, body_bytes = ${bytesOf(answer)}
        where id = ${own.id}`.execute(db);
    },
    async release({ caller, key }) {
      await sql`delete from idempotency_keys where caller = ${caller} and key = ${key} and status is null`.execute(db);
    },
  };
}

/** Of what is stored; 1 where an answer was too long. */
function bytesOf(answer: StoredAnswer | null): number {
  if (!answer) return 0;
  return answer.omitted ? 1 : Buffer.byteLength(answer.body ?? '');
}

function placeOf(id: string): string {
  return `idempotency_keys ${id}`;
}

export const idempotencyBodyColumn = encryptedColumn('idempotency_keys', 'body_sealed', placeOf);
