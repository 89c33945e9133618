import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { instantOfMicroseconds } from '../../../platform/time/instant.ts';
import { createSlots } from '../../../platform/limits/slots.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { claimChecks, providersOfUnreadVersion, removeChecksBefore, storeVersion } from './health-store.ts';
import { meetingProvider } from '../placement/meeting-provider-for.ts';
import { removeExpiredReservations } from '../placement/reservation-store.ts';
import { pollMeetings } from './record-poll.ts';
import { findServiceProvider, type ServiceProviderRow } from '../store.ts';

/** The job that runs every minute may start some seconds early. */
const intervalMs = 50_000;
/** Providers with meetings are polled anyway; they are only checked if that does not happen. */
const intervalWithMeetingsMs = 150_000;
const versionMaxAgeMs = 24 * 3_600_000;
const retentionMs = 32 * 24 * 3_600_000;
/** How many are checked at the same time. A provider that hangs only blocks one of these. */
const maxConcurrentChecks = 16;

/**
 * Checks every active provider that was not checked recently, and once a day its version. Several processes share the
 * providers. @returns how many were checked
 */
export async function checkProviders(dependencies: Dependencies): Promise<number> {
  const { db, clock } = dependencies;
  const now = clock.now();
  const ago = (ms: number) => instantOfMicroseconds((clock.nowMs() - ms) * 1000);
  const due = await claimChecks(db, { now, before: ago(intervalMs), beforeWithMeetings: ago(intervalWithMeetingsMs) });
  await forEach(due, (id) => checkProvider(dependencies, id));
  const unread = await providersOfUnreadVersion(db, {
    answeredSince: ago(intervalWithMeetingsMs),
    before: ago(versionMaxAgeMs),
  });
  await forEach(unread, (id) => readVersion(dependencies, id));
  await removeChecksBefore(db, ago(retentionMs));
  await removeExpiredReservations(db, now);
  return due.length;
}

async function checkProvider(dependencies: Dependencies, id: Uuid): Promise<void> {
  await runCheck(dependencies, id, async (row) => void (await pollMeetings(dependencies, row)));
}

async function readVersion(dependencies: Dependencies, id: Uuid): Promise<void> {
  await runCheck(dependencies, id, async (row) => {
    const version = await (await meetingProvider(dependencies, row)).version?.();
    await storeVersion(dependencies.db, id, version ?? null, dependencies.clock.now());
  });
}

/** A failure of the provider is stored as the result of the check. */
async function runCheck(
  { db, logger }: Dependencies,
  id: Uuid,
  check: (row: ServiceProviderRow) => Promise<void>,
): Promise<void> {
  const row = await findServiceProvider(db, id);
  if (!row) return;
  try {
    await check(row);
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    logger.debug({ provider: id, kind: error.kind }, 'provider did not pass a check');
  }
}

async function forEach(ids: readonly Uuid[], act: (id: Uuid) => Promise<void>): Promise<void> {
  const slots = createSlots(maxConcurrentChecks);
  const outcomes = await Promise.allSettled(ids.map((id) => slots.run('checks', () => act(id))));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}
