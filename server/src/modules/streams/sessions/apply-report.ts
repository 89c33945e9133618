import type { Dependencies } from '../../../dependencies.ts';
import { type Change, inTransaction, system } from '../../../events/change.ts';
import { calendarDateAt } from '../../../platform/time/calendar-date.ts';
import { epochMs, type Instant, instantOfMicroseconds, printInstant } from '../../../platform/time/instant.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { StreamState } from '../../../providers/media.ts';
import { endMeetingOfSession, lockMeetingOfSession, type MeetingRow } from '../../meetings/index.ts';
import { lockRoomForKeyShare, type RoomRow } from '../../rooms/index.ts';
import { storeOrder } from '../orders/order-store.ts';
import { storeOutputStates } from '../outputs/output-states.ts';
import { emitStreamEvent } from '../emit-stream-event.ts';
import { requirePrintedStream } from '../require-stream.ts';
import { findStream, lockStream, type PrintedStreamRow, storeStream, type StreamRow } from '../store.ts';
import { chargeMinutes } from './charge-minutes.ts';
import {
  findCurrentSession,
  hasEnded,
  lockCurrentSession,
  removeSession,
  type SessionRow,
  storeSession,
} from './session-store.ts';

/** An admitted encoder that has sent nothing for this long counts as disconnected. */
const admissionMs = 30_000;
/** A session that was not seen for this long is recorded as ended at its last observation. */
const unseenMs = 90_000;
/** The encoder has left, or the platform ended the meeting or removed the stream: the meeting has its own reason. */
const reasonsOfMeetings: readonly (string | null)[] = [
  null,
  'ended',
  'encoder-left',
  'platform',
  'removed',
  'not-admitted',
];

/**
 * Stores the report of a media server about a stream: its session, input and outputs. Reports may come in any order and
 * more than once.
 * @param isAnswer whether the report answers a request. It is then accepted even if the media server has reset its
 * revision
 */
export async function applyReport(
  dependencies: Dependencies,
  providerId: Uuid,
  report: StreamState,
  { isAnswer = false } = {},
): Promise<void> {
  const { roomId } = report;
  const stream = await findStream(dependencies.db, roomId);
  if (!stream || stream.service_provider_id !== providerId) return;
  if (!isAnswer && report.revision <= stream.revision) return;
  await inTransaction(dependencies, system, async (change) => {
    const room = await lockRoomForKeyShare(change.tx, roomId);
    const meeting = await lockMeetingToEnd(change, report);
    const row = await lockStream(change.tx, roomId);
    if (!row || row.service_provider_id !== providerId) return;
    const isOlder = report.revision < row.revision && !(isAnswer && hasNoRecentReport(row, change.now));
    if (isOlder || (!isAnswer && report.revision === row.revision)) return;
    const current = await lockCurrentSession(change.tx, roomId);
    if (report.state === 'idle') await applyEnd(dependencies, change, { room, row, current, report, meeting });
    else await applySession(dependencies, change, { room, row, current, report });
  });
}

interface ReportContext {
  readonly room: RoomRow;
  readonly row: StreamRow;
  readonly current: SessionRow | undefined;
  readonly report: StreamState;
}

/** The meeting that ends for the reason of its broadcast. Meetings are locked before streams. */
async function lockMeetingToEnd({ tx }: Change, { roomId, state, endReason }: StreamState) {
  if (state !== 'idle' || reasonsOfMeetings.includes(endReason)) return undefined;
  const session = await findCurrentSession(tx, roomId);
  const sessionId = session?.provider_session_id ?? null;
  return sessionId === null ? undefined : await lockMeetingOfSession(tx, roomId, sessionId);
}

async function applySession(
  dependencies: Dependencies,
  change: Change,
  { room, row, current, report }: ReportContext,
): Promise<void> {
  const { tx, now } = change;
  const { sessionId } = report;
  if (sessionId === null || (await hasEnded(tx, room.id, sessionId))) return await orderEnd(change, row);
  let session = current;
  if (session?.state === 'live' && session.provider_session_id !== sessionId) {
    const before = await requirePrintedStream(tx, room.id);
    await endSession(dependencies, change, { room, before, session, report });
    session = undefined;
  }
  // Without an admission, the limits were not checked.
  if (!session) return await orderEnd(change, row);
  const isNew = session.state === 'admitted';
  const running = await storeSession(tx, session.id, {
    state: 'live',
    provider_session_id: sessionId,
    started_at: session.started_at ?? findStart(session, report, now),
    seen_at: now,
  });
  const before = await requirePrintedStream(tx, room.id);
  await storeReport(change, row, report, running.started_at);
  if (isNew) await emitStreamEvent(change, room, { name: 'stream.started', before });
  else if (row.state !== report.state) await emitStreamEvent(change, room, { name: 'stream.updated', before });
  await storeOutputStates(change, report, room.customer_id);
  await chargeMinutes(change, running);
}

async function applyEnd(
  dependencies: Dependencies,
  change: Change,
  { room, row, current, report, meeting }: ReportContext & { readonly meeting: MeetingRow | undefined },
): Promise<void> {
  const { tx, now } = change;
  const before = await requirePrintedStream(tx, room.id);
  if (current?.state === 'admitted' && epochMs(now) - epochMs(current.admitted_at) >= admissionMs)
    await removeSession(tx, current.id);
  await storeReport(change, row, report, null);
  await storeOutputStates(change, report, room.customer_id);
  if (current?.state !== 'live') return;
  const { ended_at: endedAt, end_reason: reason } = await endSession(dependencies, change, {
    room,
    before,
    session: current,
    report,
  });
  if (meeting && reason !== null)
    await endMeetingOfSession(change, meeting, { at: printInstant(endedAt ?? now), reason });
}

interface SessionToEnd extends Pick<ReportContext, 'room' | 'report'> {
  readonly before: PrintedStreamRow;
  readonly session: SessionRow;
}

async function endSession(
  dependencies: Dependencies,
  change: Change,
  { room, before, session, report }: SessionToEnd,
): Promise<SessionRow> {
  const reason = report.state === 'idle' ? (report.endReason ?? 'ended') : 'ended';
  const ended = await storeSession(change.tx, session.id, {
    state: 'ended',
    ended_at: findEnd(session, report, change.now),
    end_reason: reason,
  });
  await emitStreamEvent(change, room, { name: 'stream.ended', before, details: { reason } });
  const endedOn = calendarDateAt(epochMs(ended.ended_at ?? change.now), dependencies.settings().system_timezone);
  await chargeMinutes(change, ended, endedOn);
  return ended;
}

async function storeReport(
  { tx, now }: Change,
  row: StreamRow,
  report: StreamState,
  startedAt: Instant | null,
): Promise<void> {
  const hasChanged = row.state !== report.state;
  await storeStream(tx, row.id, {
    state: report.state,
    revision: report.revision,
    started_at: startedAt,
    viewers: report.state === 'idle' ? 0 : report.viewers,
    input: report.state === 'idle' || !report.input ? null : JSON.stringify(report.input),
    // An older report may arrive after the source was removed.
    source_error: row.source_url === null ? null : report.sourceError,
    source_error_code: row.source_url === null ? null : report.sourceErrorCode,
    reported_at: now,
    ...(hasChanged ? { updated_at: now } : {}),
  });
}

/** A session that was not admitted, or that has ended here, is also ended on the media server. */
async function orderEnd(
  change: Change,
  { room_id: roomId, service_provider_id: providerId }: StreamRow,
): Promise<void> {
  await storeOrder(change, { providerId, roomId, kind: 'end', reason: 'not-admitted' });
}

/** The reported start, limited to the time since the admission: the clock of the media server may be wrong. */
function findStart({ admitted_at: admittedAt }: SessionRow, { startedAtMs }: StreamState, now: Instant): Instant {
  return clampInstant(printInstant(admittedAt), startedAtMs, now) ?? now;
}

function findEnd({ started_at: startedAt, seen_at: seenAt }: SessionRow, report: StreamState, now: Instant): Instant {
  const start = printInstant(startedAt ?? now);
  const reported = report.state === 'idle' ? clampInstant(start, report.endedAtMs, now) : null;
  if (reported !== null) return reported;
  const lastSeen = printInstant(seenAt ?? now);
  return epochMs(now) - epochMs(lastSeen) > unseenMs ? lastSeen : now;
}

/** The instant, limited to the bounds; null if `ms` is null. */
function clampInstant(first: Instant, ms: number | null, last: Instant): Instant | null {
  if (ms === null) return null;
  const instant = instantOfMicroseconds(ms * 1000);
  if (instant < first) return first;
  return instant > last ? last : instant;
}

function hasNoRecentReport({ reported_at: reportedAt }: StreamRow, now: Instant): boolean {
  return reportedAt === null || epochMs(now) - epochMs(reportedAt) > unseenMs;
}
