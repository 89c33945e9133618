import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Tx } from '../../../events/change.ts';
import { newUuid, type Uuid, idsOf } from '../../../platform/identity/identifier.ts';

/** The lease of a node on its tasks. After a crash, other nodes take them when the lease expires. */
const lease = "interval '5 minutes'";

/** A room whose recordings are to be read from the provider. */
export interface Check {
  readonly room_id: Uuid;
  readonly ended_at: string;
  readonly room_deleted_at: string | null;
}

/** The providers with due tasks: reading recordings, applying changes, deleting. */
export async function providersToQuery(db: Database, now: string): Promise<Uuid[]> {
  const { rows } = await sql<{ id: Uuid }>`
    select service_provider_id as id from recording_checks where next_at <= ${now}
    union
    select service_provider_id from recordings where push_at <= ${now} and service_provider_id is not null
    union
    select service_provider_id from recording_removals where next_at <= ${now}
  `.execute(db);
  return idsOf(rows);
}

/** Leases up to `limit` due checks. */
export async function claimChecks(db: Database, providerId: Uuid, now: string, limit: number): Promise<Check[]> {
  const { rows } = await sql<Check>`
    update recording_checks claimed set next_at = ${now}::timestamptz + ${sql.raw(lease)}
    from (
      select room_id from recording_checks where service_provider_id = ${providerId} and next_at <= ${now}
      order by next_at limit ${limit} for update skip locked
    ) due
    where claimed.service_provider_id = ${providerId} and claimed.room_id = due.room_id
    returning claimed.room_id, claimed.ended_at, claimed.room_deleted_at
  `.execute(db);
  return rows;
}

export async function findCheck(db: Database, providerId: Uuid, roomId: Uuid): Promise<Check | undefined> {
  return await db
    .selectFrom('recording_checks')
    .select(['room_id', 'ended_at', 'room_deleted_at'])
    .where('service_provider_id', '=', providerId)
    .where('room_id', '=', roomId)
    .executeTakeFirst();
}

/** Makes the check of the room due at once. */
export async function makeCheckDue(db: Database | Tx, providerId: Uuid, roomId: Uuid, now: string): Promise<void> {
  await sql`
    with provider as (select id from service_providers where id = ${providerId} for key share)
    insert into recording_checks (service_provider_id, room_id, ended_at, next_at)
    select id, ${roomId}, ${now}, ${now} from provider
    on conflict (service_provider_id, room_id) do update set next_at = least(recording_checks.next_at, excluded.next_at)
  `.execute(db);
}

export interface NextCheck {
  readonly roomId: Uuid;
  readonly nextAt: string;
  readonly roomDeletedAt: string | null;
}

export async function storeNextChecks(tx: Tx, providerId: Uuid, checks: readonly NextCheck[]): Promise<void> {
  const roomIds = checks.map(({ roomId }) => roomId);
  await sql`
    with locked as materialized (
      select room_id from recording_checks
      where service_provider_id = ${providerId} and room_id = any(${roomIds}::uuid[])
      order by room_id for no key update
    )
    update recording_checks stored set next_at = next.next_at, room_deleted_at = next.room_deleted_at
    from unnest(${roomIds}::uuid[], ${checks.map(({ nextAt }) => nextAt)}::timestamptz[],
      ${checks.map(({ roomDeletedAt }) => roomDeletedAt)}::timestamptz[]) next(room_id, next_at, room_deleted_at)
    join locked using (room_id)
    where stored.service_provider_id = ${providerId} and stored.room_id = next.room_id
  `.execute(tx);
}

/** Recordings of a deleted room are deleted when they appear. */
export async function markRoomDeleted(tx: Tx, roomId: Uuid, now: string): Promise<void> {
  await sql`
    with locked as materialized (
      select service_provider_id from recording_checks where room_id = ${roomId}
      order by service_provider_id for no key update
    )
    update recording_checks stored set room_deleted_at = ${now}, ended_at = ${now}, next_at = ${now}
    from locked where stored.service_provider_id = locked.service_provider_id and stored.room_id = ${roomId}
  `.execute(tx);
}

export async function forgetChecks(tx: Tx, providerId: Uuid, roomIds: readonly Uuid[]): Promise<void> {
  if (roomIds.length === 0) return;
  await sql`
    with locked as materialized (
      select room_id from recording_checks
      where service_provider_id = ${providerId} and room_id = any(${[...roomIds]}::uuid[])
      order by room_id for update
    )
    delete from recording_checks stored using locked
    where stored.service_provider_id = ${providerId} and stored.room_id = locked.room_id
  `.execute(tx);
}

/** After a failure of the provider, its tasks are due again at `until`, including those that this node has leased. */
export async function postpone(
  db: Database,
  work: keyof typeof workTables,
  providerId: Uuid,
  until: string,
): Promise<void> {
  const [due, key] = [sql.ref(workTables[work].due), sql.ref(workTables[work].key)];
  await sql`
    with locked as materialized (
      select ${key} as key from ${sql.table(work)}
      where service_provider_id = ${providerId} and ${due} <= ${until}::timestamptz + ${sql.raw(lease)}
      order by ${key} for no key update
    )
    update ${sql.table(work)} stored set ${due} = ${until}
    from locked where stored.service_provider_id = ${providerId} and ${sql.ref(`stored.${workTables[work].key}`)} = locked.key
  `.execute(db);
}

/** Per table: the column with the due time, and the key among the rows of a provider. */
const workTables = {
  recording_checks: { due: 'next_at', key: 'room_id' },
  recording_removals: { due: 'next_at', key: 'id' },
  recordings: { due: 'push_at', key: 'id' },
} as const;

export interface Removal {
  readonly id: Uuid;
  readonly provider_recording_id: string;
  readonly attempts: number;
}

/** The job deletes the recordings on the provider. */
export async function scheduleRemovals(
  tx: Tx,
  removals: readonly { readonly providerId: Uuid; readonly recordingId: string }[],
  now: string,
): Promise<void> {
  if (removals.length === 0) return;
  await sql`
    insert into recording_removals (id, service_provider_id, provider_recording_id, next_at, created_at)
    select id, provider_id, recording_id, ${now}, ${now}
    from unnest(${removals.map(() => newUuid())}::uuid[], ${removals.map(({ providerId }) => providerId)}::uuid[],
      ${removals.map(({ recordingId }) => recordingId)}::text[]) removal(id, provider_id, recording_id)
    order by provider_id, recording_id
    on conflict (service_provider_id, provider_recording_id) do nothing
  `.execute(tx);
}

export async function claimRemovals(
  db: Database,
  providerId: Uuid,
  now: string,
  { limit, recordingId }: { readonly limit: number; /** Null: all recordings. */ readonly recordingId: string | null },
): Promise<Removal[]> {
  const { rows } = await sql<Removal>`
    update recording_removals claimed
    set next_at = ${now}::timestamptz + ${sql.raw(lease)}, attempts = claimed.attempts + 1
    from (
      select id from recording_removals where service_provider_id = ${providerId} and next_at <= ${now}
        and (${recordingId}::text is null or provider_recording_id = ${recordingId})
      order by next_at limit ${limit} for update skip locked
    ) due
    where claimed.id = due.id
    returning claimed.id, claimed.provider_recording_id, claimed.attempts
  `.execute(db);
  return rows;
}

export async function deleteRemoval(db: Database, id: Uuid): Promise<void> {
  await sql`delete from recording_removals where id = ${id}`.execute(db);
}

export async function postponeRemoval(db: Database, id: Uuid, until: string): Promise<void> {
  await sql`update recording_removals set next_at = ${until} where id = ${id}`.execute(db);
}

/** Leases recordings with changes that the provider has not applied yet. */
export async function claimPushes(db: Database, providerId: Uuid, now: string, limit: number): Promise<{ id: Uuid }[]> {
  const { rows } = await sql<{ id: Uuid }>`
    update recordings claimed set push_at = ${now}::timestamptz + ${sql.raw(lease)}
    from (
      select id from recordings where service_provider_id = ${providerId} and push_at <= ${now}
      order by push_at limit ${limit} for update skip locked
    ) due
    where claimed.id = due.id
    returning claimed.id
  `.execute(db);
  return rows;
}
