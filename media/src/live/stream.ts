import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Callbacks } from '../callbacks.ts';
import { createOutputs } from '../outputs/outputs.ts';
import type { Session } from '../sessions/sessions.ts';
import type { Disk } from '../storage/disk.ts';
import type { ConnectionProblem } from '../network/connection-errors.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import type { Connection, EncoderInput } from './input.ts';
import { createInputHealth, type InputHealth } from './input-health.ts';
import type { TranscoderPrograms } from './ladder/transcoder.ts';
import type { FlvTag } from './media/flv.ts';
import { UnusableInput } from './media/frame.ts';
import type { NamedRendition } from './origin/live-playlists.ts';
import type { Recordings } from './recordings/recording.ts';
import { createSessionRecorder, type SessionRecorder } from './recordings/session-recorder.ts';
import { withRecordingWarning } from './recordings/warning.ts';
import { createStreamHeaders } from './stream-headers.ts';
import type { StreamPlan } from './stream-plan.ts';
import { createTimeline, type Timeline } from './timeline.ts';

export interface StreamServices {
  readonly dataDir: string;
  readonly callbacks: Callbacks;
  readonly recordings: Recordings;
  /** The disk of the data directory. */
  readonly disk: Disk;
  readonly programs: TranscoderPrograms;
  /** Ends the session of the room. */
  readonly endSession: (roomId: string, reason: string) => void;
  readonly viewersOf: (roomId: string) => number;
}

export type StreamStateName = 'idle' | 'live' | 'reconnecting';

/** The stream of a room, registered by the platform. */
export interface Stream {
  readonly plan: StreamPlan;
  readonly state: StreamStateName;
  readonly renditions: readonly NamedRendition[];
  set(plan: StreamPlan): void;
  /** Connects an accepted encoder, for the first time or again. */
  attach(session: Session, connection: Connection): EncoderInput;
  /** Restores a session that was live before a restart; its encoder may return. */
  resume(session: Session): void;
  end(reason: string): void;
  /** Ends a session whose picture is fetched from the source, since the source cannot return. */
  removeSource(): void;
  /** Disconnects all clients. The session continues after a restart. */
  suspend(): void;
  tick(nowMs: number): void;
  /** Why the source cannot be fetched now; null if it can. */
  setSourceError(error: ConnectionProblem | null): void;
  onChange(listener: () => void): () => void;
  print(): Readonly<Record<string, unknown>>;
}

/** A disconnected encoder may return within this time. */
const graceMs = 30_000;
/** The session ends if the bit rate exceeds the limit for this long. */
const maxAboveMs = 30_000;
const reportIntervalMs = 10_000;
const reportSoonMs = 200;

interface LiveSession {
  readonly session: Session;
  readonly timeline: Timeline;
  readonly delivery: Delivery;
  readonly health: InputHealth;
  /** Null if the stream is not recorded. */
  readonly recorder: SessionRecorder | null;
  connection: Connection | null;
  /** Whether the picture is fetched from the source of the stream. */
  isPulled: boolean;
  leftAtMs: number;
  aboveSinceMs: number | null;
}

export function createStream(initialPlan: StreamPlan, services: StreamServices): Stream {
  let plan = initialPlan;
  let live: LiveSession | null = null;
  let endReason: string | null = null;
  let sourceError: ConnectionProblem | null = null;
  let endedAtMs: number | null = null;
  let revision = 0;
  let reportedAtMs = 0;
  let reportTimer: NodeJS.Timeout | null = null;
  const listeners = new Set<() => void>();
  const headers = createStreamHeaders();
  const outputs = createOutputs(headers, scheduleReport);
  outputs.set(plan.outputs, plan.arePrivateAddressesAllowed);

  const state = (): StreamStateName => (live === null ? 'idle' : live.connection ? 'live' : 'reconnecting');

  /** Reports several simultaneous changes once. */
  function scheduleReport(): void {
    reportTimer ??= setTimeout(report, reportSoonMs).unref();
  }

  function report(): void {
    if (reportTimer) clearTimeout(reportTimer);
    reportTimer = null;
    reportedAtMs = Date.now();
    services.callbacks.report(plan.callbackUrl, { type: 'stream.changed', stream: print() });
    for (const listener of listeners) listener();
  }

  const segmentDirectoryOf = ({ sessionId }: Session) => join(services.dataDir, 'live', sessionId);

  async function removeSegments({ session, delivery }: LiveSession): Promise<void> {
    await delivery.close();
    await rm(segmentDirectoryOf(session), { recursive: true, force: true });
  }

  function begin(session: Session): LiveSession {
    const { recordings, disk, programs } = services;
    const { roomId, callbackUrl } = plan;
    const { sessionId } = session;
    const recorder = plan.isRecorded
      ? createSessionRecorder(disk, () => recordings.start({ roomId, sessionId, callbackUrl }), scheduleReport)
      : null;
    const delivery = createDelivery({
      plan,
      firstNumber: Math.floor((Date.now() - session.createdAtMs) / 500),
      directory: segmentDirectoryOf(session),
      disk,
      programs,
      onTag(tag) {
        headers.store(tag);
        outputs.push(tag);
      },
      onInit(bytes) {
        recorder?.begin(bytes);
        scheduleReport();
      },
      onFragment: (fragment) => recorder?.write(fragment),
    });
    [endReason, endedAtMs] = [null, null];
    return {
      session,
      timeline: createTimeline(),
      delivery,
      health: createInputHealth(plan),
      recorder,
      connection: null,
      isPulled: plan.sourceUrl !== null,
      leftAtMs: Date.now(),
      aboveSinceMs: null,
    };
  }

  function push(running: LiveSession, received: FlvTag): void {
    const tag = running.timeline.adjust(received);
    running.health.push(tag);
    running.delivery.push(tag);
  }

  function detach(running: LiveSession, connection: Connection): void {
    if (live !== running || running.connection !== connection) return;
    running.connection = null;
    running.leftAtMs = Date.now();
    report();
  }

  function end(reason: string): void {
    if (!live) return;
    const ended = live;
    live = null;
    [endReason, endedAtMs] = [reason, Date.now()];
    ended.connection?.close();
    outputs.stop();
    headers.clear();
    ended.recorder?.close();
    void removeSegments(ended).catch(() => {});
    report();
    services.endSession(plan.roomId, reason);
  }

  function checkLimits(running: LiveSession, nowMs: number): string | null {
    const { maxBitrateKbps, maxDurationMinutes } = plan;
    const startedAtMs = running.session.liveSinceMs ?? nowMs;
    if (!running.connection) return nowMs - running.leftAtMs >= graceMs ? 'encoder-left' : null;
    if (maxDurationMinutes !== null && nowMs - startedAtMs >= maxDurationMinutes * 60_000) return 'max-duration';
    if (running.health.lacksKeyFrames) return 'no-keyframes';
    const isAbove = maxBitrateKbps !== null && running.health.kbps > maxBitrateKbps;
    running.aboveSinceMs = isAbove ? (running.aboveSinceMs ?? nowMs) : null;
    return running.aboveSinceMs !== null && nowMs - running.aboveSinceMs >= maxAboveMs ? 'max-bitrate' : null;
  }

  function print() {
    revision = Math.max(revision + 1, Date.now());
    const { recorder = null, session = null, connection = null } = live ?? {};
    const record = recorder?.record ?? null;
    return {
      room_id: plan.roomId,
      revision,
      state: state(),
      session_id: session?.sessionId ?? null,
      started_at_ms: session?.liveSinceMs ?? null,
      protocol: connection?.protocol ?? null,
      input: live && connection ? withRecordingWarning(live.health.figures, live.recorder?.problem ?? null) : null,
      viewers: services.viewersOf(plan.roomId),
      source_error: sourceError?.message ?? null,
      source_error_code: sourceError?.code ?? null,
      outputs: outputs.print(),
      recording: record && { id: record.recordingId, started_at_ms: record.startedAtMs },
      end_reason: endReason,
      ended_at_ms: endedAtMs,
    };
  }

  return {
    get plan() {
      return plan;
    },
    get state() {
      return state();
    },
    get renditions() {
      return plan.hasViewers ? (live?.delivery.renditions ?? []) : [];
    },
    set(changedPlan) {
      plan = changedPlan;
      outputs.set(plan.outputs, plan.arePrivateAddressesAllowed);
    },
    attach(session, connection) {
      if (live && live.session.sessionId !== session.sessionId) end('ended');
      live ??= begin(session);
      const running = live;
      running.connection = connection;
      running.isPulled = connection.protocol === 'pull';
      running.timeline.restart();
      running.health.restart(Date.now());
      running.delivery.restart();
      report();
      return {
        push: (tag) => {
          if (live === running && running.connection === connection) push(running, tag);
        },
        end: () => detach(running, connection),
        fail: (error) => {
          if (live === running && running.connection === connection) end(error.code);
        },
      };
    },
    resume(session) {
      live ??= begin(session);
    },
    end,
    removeSource() {
      if (live?.isPulled === true) end('source-removed');
    },
    suspend() {
      if (reportTimer) clearTimeout(reportTimer);
      live?.connection?.close();
      outputs.stop();
      if (live) void removeSegments(live).catch(() => {});
      live = null;
    },
    tick(nowMs) {
      outputs.tick(nowMs, live?.connection != null);
      if (!live) return;
      live.health.tick(nowMs);
      // The broadcast continues if its recording cannot.
      live.recorder?.tick();
      const reason = checkLimits(live, nowMs);
      if (reason !== null) end(reason);
      else if (nowMs - reportedAtMs >= reportIntervalMs) report();
    },
    setSourceError(error) {
      if (error?.message === sourceError?.message) return;
      sourceError = error;
      scheduleReport();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    print,
  };
}

/** The refusal of an encoder while another one is connected. */
export function streamBusy(): UnusableInput {
  return new UnusableInput('stream-busy', 'Another encoder is live in this room. Stop it first.');
}
