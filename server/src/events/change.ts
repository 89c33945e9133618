import type { FastifyBaseLogger } from 'fastify';
import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { Database } from '../database/connect.ts';
import type { InvalidationBus, Invalidation, CacheKey } from '../database/invalidation-bus.ts';
import { afterCommit } from '../database/one-transaction.ts';
import type { DB } from '../database/tables.ts';
import type { CalendarDate } from '../platform/time/calendar-date.ts';
import type { Clock } from '../platform/time/clock.ts';
import { Failure, type RefusedLimit } from '../platform/failures.ts';
import type { Actor } from '../platform/http/input/call.ts';
import type { TotalCache } from '../platform/list-query/total-cache.ts';
import type { Settings } from '../platform/settings.ts';
import type { AuditMac } from './audit-mac.ts';
import { type EventInput, type EventPrinter, isUnchanged } from './event-data.ts';
import { eventQueries, insertEvent, insertEvents } from './insert-events.ts';
import type { ReactionName, ReactionSubjects } from './reaction-subjects.ts';

export type Tx = Transaction<DB>;

/** A running transaction. Its writes, events and audit entries commit together. */
export interface Change {
  readonly tx: Tx;
  /** The timestamp of all rows that this change writes. */
  readonly now: string;
  /** The calendar day of the system's time zone. */
  readonly today: CalendarDate;
  readonly actor: Actor;
  /**
   * Inserts one event, numbered without gaps per resource, and one audit entry. An update that changed nothing has
   * neither.
   */
  emit(event: EventInput): Promise<void>;
  /** Inserts the events in this order, several hundred with one statement. */
  emitAll(events: readonly EventInput[]): Promise<void>;
  /** CTEs that insert the event and its audit entry if the CTE `cause` returned a row. */
  insertEventQueries(event: EventInput, cause: RawBuilder<unknown>): RawBuilder<unknown>;
  /** After the commit and before the response, every process drops its cache for this key. */
  invalidate(cacheKey: CacheKey): void;
  /** Runs the reactions of later modules in this transaction. */
  react<Name extends ReactionName>(name: Name, subject: ReactionSubjects[Name]): Promise<void>;
}

export type RunReactions = <Name extends ReactionName>(
  change: Change,
  name: Name,
  subject: ReactionSubjects[Name],
) => Promise<void>;

export interface ChangeServices {
  readonly db: Database;
  /** Commits independently of the request's transaction. */
  readonly separateDb: Database;
  readonly clock: Clock;
  readonly totals: TotalCache;
  readonly invalidations: InvalidationBus;
  readonly settings: () => Settings;
  readonly auditMac: AuditMac;
  readonly eventPrinter: EventPrinter;
  readonly runReactions: RunReactions;
  readonly logger: FastifyBaseLogger;
}

export const system: Actor = {
  type: 'system',
  id: null,
  name: 'system',
  clientId: null,
  clientName: null,
  requestId: null,
  address: null,
};

/** Runs a change of state in one transaction. If a limit refuses it, the refusal is recorded in another transaction. */
export async function inTransaction<Outcome>(
  services: ChangeServices,
  actor: Actor,
  act: (change: Change) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await runTransaction(services, actor, act);
  } catch (error) {
    const limit = error instanceof Failure && !recordedFailures.has(error) ? error.details.limit : undefined;
    if (limit) {
      recordedFailures.add(error as Failure);
      await recordRefusedLimit(services, actor, limit);
    }
    throw error;
  }
}

/** Failures whose refusal is recorded already: a failure passes through all nested transactions. */
const recordedFailures = new WeakSet<Failure>();

/** Records that a limit refused a request, in its own transaction. For refusals outside of a transaction. */
export async function recordRefusedLimit(services: ChangeServices, actor: Actor, limit: RefusedLimit): Promise<void> {
  try {
    await runTransaction({ ...services, db: services.separateDb }, actor, ({ react }) => react('limit.refused', limit));
  } catch (error) {
    // The caller gets the refusal even if its event cannot be stored.
    services.logger.error({ err: error, ...limit }, 'the event of a refused limit could not be stored');
  }
}

async function runTransaction<Outcome>(
  services: ChangeServices,
  actor: Actor,
  act: (change: Change) => Promise<Outcome>,
): Promise<Outcome> {
  const cacheKeys = new Set<CacheKey>();
  let invalidation: Invalidation | null = null;
  const outcome = await services.db.transaction().execute(async (tx) => {
    const now = services.clock.now();
    const context = { auditMac: services.auditMac, printer: services.eventPrinter, now, actor };
    const change: Change = {
      tx,
      now,
      today: services.clock.today(services.settings().system_timezone),
      actor,
      emit: async (event) => {
        if (!isUnchanged(event)) await insertEvent(tx, context, event);
      },
      emitAll: (events) =>
        insertEvents(
          tx,
          context,
          events.filter((event) => !isUnchanged(event)),
        ),
      insertEventQueries: (event, cause) => eventQueries(context, event, cause, {}),
      invalidate: (cacheKey) => cacheKeys.add(cacheKey),
      react: (name, subject) => services.runReactions(change, name, subject),
    };
    const result = await act(change);
    if (cacheKeys.size > 0) invalidation = await services.invalidations.publish(tx, [...cacheKeys]);
    return result;
  });
  await afterCommit(async () => {
    services.totals.clear();
    if (invalidation) await services.invalidations.waitForAcknowledgement(invalidation);
  });
  return outcome;
}

/** Runs a part of a change in a savepoint: when it fails, only this part is rolled back. @throws the errors of `act` */
export async function inSavepoint<Outcome>({ tx }: Pick<Change, 'tx'>, act: () => Promise<Outcome>): Promise<Outcome> {
  await sql`savepoint part`.execute(tx);
  try {
    const outcome = await act();
    await sql`release savepoint part`.execute(tx);
    return outcome;
  } catch (error) {
    await sql`rollback to savepoint part`.execute(tx);
    await sql`release savepoint part`.execute(tx);
    throw error;
  }
}

/** A change that is a single statement, and so its own transaction. */
export interface StatementChange {
  readonly db: Database;
  /** The timestamp of all rows that this change writes. */
  readonly now: string;
  /** As in `Change`. @param prefix of the names of the CTEs, for a second event */
  insertEventQueries(event: EventInput, cause: RawBuilder<unknown>, prefix?: string): RawBuilder<unknown>;
}

/** Runs a change of state as a single statement, in one round trip. */
export async function inOneStatement<Outcome>(
  { db, clock, totals, auditMac, eventPrinter: printer }: ChangeServices,
  actor: Actor,
  act: (change: StatementChange) => Promise<Outcome>,
): Promise<Outcome> {
  const now = clock.now();
  const outcome = await act({
    db,
    now,
    insertEventQueries: (event, cause, prefix = '') =>
      eventQueries({ auditMac, printer, now, actor }, event, cause, { prefix }),
  });
  await afterCommit(() => totals.clear());
  return outcome;
}

/**
 * Runs `act` in a transaction that is rolled back, without events, to learn its outcome.
 * @throws the errors of `act`
 */
export async function dryRun<Outcome>(
  { db, clock, settings, runReactions }: Pick<ChangeServices, 'db' | 'clock' | 'settings' | 'runReactions'>,
  actor: Actor,
  act: (change: Change) => Promise<Outcome>,
): Promise<Outcome> {
  const outcomes: { outcome: Outcome }[] = [];
  const rollback = new Error('The dry run is rolled back.');
  try {
    await db.transaction().execute(async (tx) => {
      const change: Change = {
        tx,
        now: clock.now(),
        today: clock.today(settings().system_timezone),
        actor,
        emit: () => Promise.resolve(),
        emitAll: () => Promise.resolve(),
        insertEventQueries: () => sql`unrecorded as (select)`,
        invalidate: () => {},
        react: (name, subject) => runReactions(change, name, subject),
      };
      const outcome = await act(change);
      outcomes.push({ outcome });
      throw rollback;
    });
  } catch (error) {
    const [result] = outcomes;
    if (error === rollback && result) return result.outcome;
    throw error;
  }
  throw new Error('A dry run was not rolled back.');
}
