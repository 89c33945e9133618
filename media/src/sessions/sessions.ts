import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Callbacks } from '../callbacks.ts';
import { Refusal } from '../http/answer.ts';
import type { PlaybackToken } from '../playback/token.ts';
import { createKeyedQueue } from '../storage/keyed-queue.ts';
import { readJson, writeJson } from '../storage/json-file.ts';

export type ServiceType = 'video' | 'live' | 'simulcast';

export interface SessionPlan {
  readonly roomId: string;
  readonly serviceType: ServiceType;
  readonly name: string;
  readonly callbackUrl: string;
  readonly maxViewers: number | null;
  readonly maxDurationMinutes: number | null;
}

export interface Viewer {
  readonly viewerId: string;
  readonly name: string;
  readonly role: string;
  readonly firstSeenMs: number;
  lastSeenMs: number;
}

export interface Session extends SessionPlan {
  readonly sessionId: string;
  readonly createdAtMs: number;
  /** When its encoder first connected; null before that. */
  liveSinceMs: number | null;
  readonly viewers: Map<string, Viewer>;
  readonly removed: Set<string>;
  peakViewers: number;
  /** When the session was opened or a viewer was last seen. */
  lastUsedMs: number;
}

export interface Sessions {
  /** Opens or finds the session of the room. */
  open(plan: SessionPlan): Promise<{ readonly session: Session; readonly wasOpen: boolean }>;
  find(roomId: string): Session | null;
  all(): Session[];
  end(roomId: string, reason: string): Promise<void>;
  removeViewer(roomId: string, viewerId: string): Promise<void>;
  /** Finds the session of the token, and keeps it open. @throws Refusal 403 for a token of another session */
  check(token: PlaybackToken): Session;
  /** Counts the viewer as watching. @throws Refusal 403 for a token of another session */
  countViewer(token: PlaybackToken): Session;
  /** Stores that the encoder of a live session is connected, so that a crash does not end the session. */
  markLive(roomId: string): Promise<void>;
  /** Called after a session has ended. */
  onEnded(listener: (session: Session, reason: string) => void): void;
  /** A session stays open while `hasEncoder` returns true for its room. */
  setEncoderCheck(hasEncoder: (roomId: string) => boolean): void;
  close(): Promise<void>;
}

/** A viewer counts as gone after this time without a request of the player. */
const viewerTimeoutMs = 90_000;
/** A session without use ends after this time. */
const idleTimeoutMs = 120_000;
const checkEveryMs = 2000;
const maxRemovedViewers = 10_000;

/** The sessions of this server. They survive a restart, since changes are stored before they are acknowledged. */
export async function openSessions(dataDir: string, callbacks: Callbacks): Promise<Sessions> {
  const directory = join(dataDir, 'sessions');
  const sessions = new Map((await load(directory)).map((session) => [session.roomId, session]));
  const listeners: ((session: Session, reason: string) => void)[] = [];
  let hasEncoder: (roomId: string) => boolean = () => false;
  const enqueue = createKeyedQueue();
  /** The sessions whose viewers have changed since they were stored. */
  const changedSessions = new Set<Session>();

  const store = async (session: Session) =>
    await enqueue(session.roomId, async () => {
      changedSessions.delete(session);
      // A write that was waiting must not bring back a session that has ended.
      if (sessions.get(session.roomId) !== session) return;
      await writeJson(fileOf(directory, session.roomId), {
        ...session,
        viewers: [...session.viewers.values()],
        removed: [...session.removed],
      });
    });

  async function end(roomId: string, reason: string): Promise<void> {
    const session = sessions.get(roomId);
    if (!session) return;
    sessions.delete(roomId);
    await enqueue(roomId, async () => await rm(fileOf(directory, roomId), { force: true }));
    for (const listener of listeners) listener(session, reason);
    callbacks.report(session.callbackUrl, {
      type: 'session.ended',
      room_id: roomId,
      session_id: session.sessionId,
      reason,
      ended_at_ms: Date.now(),
      viewers: printViewers(session),
    });
  }

  async function checkAll(): Promise<void> {
    const now = Date.now();
    for (const session of sessions.values()) {
      const before = session.viewers.size;
      for (const [id, { lastSeenMs }] of session.viewers)
        if (now - lastSeenMs >= viewerTimeoutMs) session.viewers.delete(id);
      if (session.viewers.size !== before) reportChange(session);
      if (session.viewers.size > 0) session.lastUsedMs = now;
      // Viewers may wait for a broadcast as long as they like: its duration counts from its beginning.
      const { maxDurationMinutes, liveSinceMs } = session;
      const isTooLong =
        maxDurationMinutes !== null && liveSinceMs !== null && now - liveSinceMs >= maxDurationMinutes * 60_000;
      if (isTooLong) await end(session.roomId, 'max-duration');
      else if (!hasEncoder(session.roomId) && now - session.lastUsedMs >= idleTimeoutMs)
        await end(session.roomId, 'idle');
    }
    await Promise.all([...changedSessions].map(store));
  }

  function reportChange(session: Session): void {
    changedSessions.add(session);
    callbacks.report(session.callbackUrl, { type: 'session.changed', session: printSession(session) });
  }

  function check({ roomId, sessionId, viewerId }: PlaybackToken): Session {
    const session = sessions.get(roomId);
    if (!session || session.sessionId !== sessionId || viewerId === null)
      throw new Refusal(403, 'session-ended', 'This session has ended.');
    if (session.removed.has(viewerId)) throw new Refusal(403, 'viewer-removed', 'Your access to this room has ended.');
    session.lastUsedMs = Date.now();
    return session;
  }

  const timer = setInterval(() => void checkAll().catch(() => {}), checkEveryMs);

  return {
    async open(plan) {
      const existing = sessions.get(plan.roomId);
      if (existing) {
        await enqueue(plan.roomId, () => Promise.resolve());
        return { session: existing, wasOpen: true };
      }
      const now = Date.now();
      const session: Session = {
        ...plan,
        sessionId: randomUUID(),
        createdAtMs: now,
        liveSinceMs: null,
        viewers: new Map(),
        removed: new Set(),
        peakViewers: 0,
        lastUsedMs: now,
      };
      sessions.set(plan.roomId, session);
      try {
        await store(session);
      } catch (error) {
        sessions.delete(plan.roomId);
        throw error;
      }
      return { session, wasOpen: false };
    },
    find: (roomId) => sessions.get(roomId) ?? null,
    all: () => [...sessions.values()],
    end,
    async removeViewer(roomId, viewerId) {
      const session = sessions.get(roomId);
      if (!session) return;
      if (session.removed.size < maxRemovedViewers) session.removed.add(viewerId);
      if (session.viewers.delete(viewerId)) reportChange(session);
      await store(session);
    },
    check,
    countViewer(token) {
      const session = check(token);
      const { name, role } = token;
      const viewerId = token.viewerId ?? '';
      const now = session.lastUsedMs;
      const viewer = session.viewers.get(viewerId);
      if (viewer) viewer.lastSeenMs = now;
      else {
        session.viewers.set(viewerId, { viewerId, name, role, firstSeenMs: now, lastSeenMs: now });
        session.peakViewers = Math.max(session.peakViewers, session.viewers.size);
        reportChange(session);
      }
      return session;
    },
    async markLive(roomId) {
      const session = sessions.get(roomId);
      if (!session || session.liveSinceMs !== null) return;
      session.liveSinceMs = Date.now();
      // A full disk does not keep a broadcast from starting.
      await store(session).catch(() => {});
    },
    onEnded: (listener) => void listeners.push(listener),
    setEncoderCheck: (check) => {
      hasEncoder = check;
    },
    async close() {
      clearInterval(timer);
      await Promise.all([...sessions.values()].map(store));
    },
  };
}

/** The session as the API returns it. */
export function printSession(session: Session) {
  return {
    room_id: session.roomId,
    session_id: session.sessionId,
    service_type: session.serviceType,
    created_at_ms: session.createdAtMs,
    live_since_ms: session.liveSinceMs,
    viewers: printViewers(session),
    peak_viewers: session.peakViewers,
  };
}

function printViewers({ viewers }: Session) {
  return [...viewers.values()].map(({ viewerId, name, role, firstSeenMs, lastSeenMs }) => ({
    viewer_id: viewerId,
    name,
    role,
    first_seen_ms: firstSeenMs,
    last_seen_ms: lastSeenMs,
  }));
}

function fileOf(directory: string, roomId: string): string {
  return join(directory, `${roomId}.json`);
}

async function load(directory: string): Promise<Session[]> {
  const names = await readdir(directory).catch(() => []);
  const stored = await Promise.all(
    names.filter((name) => name.endsWith('.json')).map((name) => readJson<StoredSession>(join(directory, name))),
  );
  // Players kept running while the server was down, so their time-out starts again.
  const now = Date.now();
  return stored.flatMap((session) =>
    session === null
      ? []
      : [
          {
            ...session,
            viewers: new Map(session.viewers.map((viewer) => [viewer.viewerId, { ...viewer, lastSeenMs: now }])),
            removed: new Set(session.removed),
            lastUsedMs: now,
          },
        ],
  );
}

interface StoredSession extends Omit<Session, 'viewers' | 'removed'> {
  readonly viewers: readonly Viewer[];
  readonly removed: readonly string[];
}
