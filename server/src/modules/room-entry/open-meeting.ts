import type { Dependencies } from '../../dependencies.ts';
import { change } from '../../events/change.ts';
import { unavailable } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/call.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { epochMs } from '../../platform/instant.ts';
import type {
  MeetingPlan,
  MeetingProvider,
  MeetingState,
  OpenedMeeting,
  OpenMeeting,
} from '../../providers/meeting-provider.ts';
import { isOutage } from '../../providers/provider-failure.ts';
import {
  callbackAddress,
  clockOffsetMs,
  currentMeeting,
  findProvider,
  lockMeeting,
  type MeetingRow,
  observeMeeting,
  ourInstant,
  storeMeeting,
  type SubscriptionProviderRow,
} from '../meetings/index.ts';
import { meetingProvider } from '../service-providers/index.ts';
import type { LoadedDoor } from './load-door.ts';
import { refusal } from './refusals.ts';

export interface Running {
  readonly row: MeetingRow;
  readonly adapter: MeetingProvider;
  readonly meeting: OpenMeeting;
}

/** The room's meeting, if its provider still has it. @throws 503 when the provider does not answer. */
export async function runningMeeting(dependencies: Dependencies, roomId: Uuid): Promise<Running | null> {
  const row = await currentMeeting(dependencies.db, roomId);
  if (!row?.service_provider_id || row.state !== 'open') return null;
  const provider = await findProvider(dependencies.db, row.service_provider_id);
  if (!provider) return null;
  const at = dependencies.clock.now();
  const { adapter, state } = await asked(async () => {
    const found = await meetingProvider(dependencies, provider);
    return { adapter: found, state: await found.state(row.provider_meeting_id) };
  });
  const observed = await observeMeeting(dependencies, row, state, at);
  const meeting = openMeetingOf(state);
  return observed.state === 'open' && meeting ? { row: observed, adapter, meeting } : null;
}

function openMeetingOf(state: MeetingState): OpenMeeting | null {
  if (!state.exists || state.internalId === null || state.createdAtMs === null) return null;
  return { meetingId: state.meetingId, internalId: state.internalId, createdAtMs: state.createdAtMs };
}

/** Where the meeting is, or else on the first provider that answers, the default first. */
export async function openWhere(
  dependencies: Dependencies,
  actor: Actor,
  loaded: LoadedDoor,
  row: MeetingRow,
  running: Running | null,
): Promise<{ adapter: MeetingProvider; meeting: OpenMeeting }> {
  if (running) return running;
  const plan = planMeeting(dependencies, loaded, row);
  const failed: SubscriptionProviderRow[] = [];
  for (const provider of candidates(loaded.providers, row)) {
    try {
      const adapter = await meetingProvider(dependencies, provider);
      const askedAtMs = dependencies.clock.nowMs();
      const meeting = await adapter.open(plan);
      const stored = await storeOpened(dependencies, actor, row, { provider, meeting, askedAtMs, failed });
      if (stored.state === 'ended') {
        await adapter.end(plan.meetingId);
        throw unavailable('provider-unavailable', 'The meeting was ended while it began. Please try again.');
      }
      if (stored.service_provider_id === provider.id) return { adapter, meeting };
      // Somebody opened it elsewhere at the same instant: everybody meets there, and the one here expires by itself.
      return await openWhere(dependencies, actor, loaded, stored, null);
    } catch (error) {
      if (!isOutage(error)) throw asUnavailable(error);
      dependencies.logger.warn({ provider: provider.id, kind: error.kind }, 'provider opened no meeting');
      failed.push(provider);
    }
  }
  throw unavailable('provider-unavailable', 'The meeting server does not answer. Please try again in a moment.');
}

/** Somebody may have opened the meeting elsewhere in the meantime: then it is there and nowhere else. */
function candidates(
  providers: readonly SubscriptionProviderRow[],
  row: MeetingRow,
): readonly SubscriptionProviderRow[] {
  const current = row.state === 'open' ? providers.find(({ id }) => id === row.service_provider_id) : undefined;
  return current ? [current] : providers;
}

function planMeeting(
  dependencies: Dependencies,
  { room, features, settings }: LoadedDoor,
  { id }: MeetingRow,
): MeetingPlan {
  return {
    meetingId: room.id,
    name: room.room_name,
    passwordSeed: dependencies.meetingPasswordSeed,
    features,
    settings,
    metadata: { 'foyer-room': room.id },
    callbacks: {
      ended: callbackAddress(dependencies, 'meeting-ended', id),
      analytics: callbackAddress(dependencies, 'meeting-attendance', id),
    },
  };
}

interface Opened {
  readonly provider: SubscriptionProviderRow;
  readonly meeting: OpenedMeeting;
  readonly askedAtMs: number;
  /** Those that were asked before, in vain. */
  readonly failed: readonly SubscriptionProviderRow[];
}

async function storeOpened(
  dependencies: Dependencies,
  actor: Actor,
  meeting: MeetingRow,
  { provider, meeting: opened, askedAtMs, failed }: Opened,
): Promise<MeetingRow> {
  return await change(dependencies, actor, async ({ tx, now, emit }) => {
    const row = await lockMeeting(tx, meeting.id);
    if (!row) throw refusal('room-inactive');
    if (row.state !== 'opening') return row;
    // One that was there already was made some time before; only a clock that is ahead can be told.
    const madeAfterMs = opened.already ? opened.createdAtMs : askedAtMs;
    const offsetMs = clockOffsetMs(opened.createdAtMs, madeAfterMs, epochMs(now));
    const updated = await storeMeeting(tx, row.id, {
      state: 'open',
      service_provider_id: provider.id,
      provider_internal_id: opened.internalId,
      provider_created_at: opened.createdAtMs,
      clock_offset_ms: offsetMs,
      started_at: ourInstant({ clock_offset_ms: offsetMs }, opened.createdAtMs),
      updated_at: now,
    });
    await emit({
      name: 'meeting.started',
      resource: { type: 'Meeting', id: row.id },
      customerId: row.customer_id,
      after: updated,
    });
    for (const { id } of failed) {
      await emit({
        name: 'service_provider.failed_over',
        resource: { type: 'ServiceProvider', id },
        customerId: row.customer_id,
        after: { meeting: row.id, to: provider.id },
      });
    }
    return updated;
  });
}

async function asked<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    throw asUnavailable(error);
  }
}

function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'ProviderFailure') return error;
  return unavailable(
    'provider-unavailable',
    'The meeting server does not answer as it should. Please try again in a moment.',
    {
      cause: error,
    },
  );
}
