import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { instantOfMicroseconds } from '../../../platform/time/instant.ts';
import { createSlots } from '../../../platform/limits/slots.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { claimChecks, listOutdatedVersions, removeChecksBefore, storeVersion } from './health-store.ts';
import { meetingProvider } from '../placement/meeting-provider.ts';
import { removeExpiredReservations } from '../placement/reservation-store.ts';
import { pollMeetings } from './record-poll.ts';
import { findServiceProvider, type ServiceProviderRow } from '../store.ts';

/** A provider is checked again after this time: less than a minute, because the job may start some seconds early. */
const intervalMs = 50_000;
/** Providers with meetings are polled more often. They are only checked if no poll has happened for this long. */
const intervalWithMeetingsMs = 150_000;
const versionMaxAgeMs = 24 * 3_600_000;
const retentionMs = 32 * 24 * 3_600_000;
/** How many providers are checked at the same time. A provider that does not answer only blocks one of these slots. */
const maxConcurrentChecks = 16;

/**
 * Checks every active provider that was not checked recently, and reads its version once a day. Several processes share
 * the providers. @returns the number of checked providers
 */
export async function checkProviders(dependencies: Dependencies): Promise<number> {
  const { db, clock } = dependencies;
  const now = clock.now();
  const instantBefore = (ms: number) => instantOfMicroseconds((clock.nowMs() - ms) * 1000);
  const due = await claimChecks(db, {
    now,
    before: instantBefore(intervalMs),
    beforeWithMeetings: instantBefore(intervalWithMeetingsMs),
  });
  await runForEach(due, (id) => checkProvider(dependencies, id));
  const outdated = await listOutdatedVersions(db, {
    answeredSince: instantBefore(intervalWithMeetingsMs),
    before: instantBefore(versionMaxAgeMs),
  });
  await runForEach(outdated, (id) => readVersion(dependencies, id));
  await removeChecksBefore(db, instantBefore(retentionMs));
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

/** A failure of the provider does not fail the job. */
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
    logger.debug({ provider: id, kind: error.kind }, 'check of the provider failed');
  }
}

async function runForEach(ids: readonly Uuid[], act: (id: Uuid) => Promise<void>): Promise<void> {
  const slots = createSlots(maxConcurrentChecks);
  const outcomes = await Promise.allSettled(ids.map((id) => slots.run('checks', () => act(id))));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}
