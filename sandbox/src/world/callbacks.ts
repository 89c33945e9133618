import type { SandboxClock } from './clock.ts';
import type { Meeting } from './meeting.ts';
import type { SandboxLogger, World } from './world.ts';

/** One notification that a meeting has ended, with every attempt made so far. */
export interface Callback {
  url: string;
  meetingId: string;
  state: 'pending' | 'delivered' | 'dropped';
  attempts: { at: number; status: number | null }[];
  nextAttemptAt: number | null;
}

export interface CallbackSender {
  all(): readonly Callback[];
  queue(url: string, meetingId: string, at: number): void;
  /** Starts every attempt that the clock has reached. */
  sendDue(): void;
  /** Resolves when no attempt is under way. */
  idle(): Promise<void>;
  /** Forgets everything. What is under way has no further effect. */
  clear(): void;
}

/** meta_endCallbackUrl gets the marks and the meeting's id added; meetingEndedURL is called as it is. */
export function queueEndCallbacks(world: World, meeting: Meeting, at: number): void {
  if (meeting.parentId !== null) return;
  const endCallback = meeting.metadata.get('endcallbackurl');
  if (endCallback) {
    const added = new URLSearchParams({
      recordingmarks: String(meeting.hasRecordingMarks),
      meetingID: meeting.externalId,
    });
    world.callbacks.queue(withQuery(endCallback, added.toString()), meeting.externalId, at);
  }
  const { meetingEndedURL } = meeting.settings;
  if (meetingEndedURL) world.callbacks.queue(meetingEndedURL, meeting.externalId, at);
}

export function withQuery(url: string, query: string): string {
  const [address = '', fragment] = url.split('#', 2);
  const joined = `${address}${address.includes('?') ? '&' : '?'}${query}`;
  return fragment === undefined ? joined : `${joined}#${fragment}`;
}

export function createCallbackSender(clock: SandboxClock, logger: SandboxLogger, closing: AbortSignal): CallbackSender {
  let callbacks: Callback[] = [];
  const underWay = new Map<Callback, Promise<void>>();

  async function attempt(callback: Callback): Promise<void> {
    const at = clock.now();
    const status = await get(callback.url, closing);
    callback.attempts.push({ at, status });
    const retryAfter = retryDelaysMs[callback.attempts.length - 1];
    if (status !== null && status >= 200 && status < 300) {
      callback.state = 'delivered';
      callback.nextAttemptAt = null;
    } else if (retryAfter === undefined) {
      callback.state = 'dropped';
      callback.nextAttemptAt = null;
      logger.warn({ meetingID: callback.meetingId, status }, 'A callback was given up.');
    } else {
      callback.nextAttemptAt = at + retryAfter;
    }
  }

  function sendDue(): void {
    if (closing.aborted) return;
    const now = clock.now();
    for (const callback of callbacks) {
      const { nextAttemptAt } = callback;
      if (nextAttemptAt === null || nextAttemptAt > now || underWay.has(callback)) continue;
      const sending = attempt(callback).finally(() => {
        underWay.delete(callback);
        sendDue();
      });
      underWay.set(callback, sending);
    }
  }

  return {
    all: () => callbacks,
    queue(url, meetingId, at) {
      callbacks.push({ url, meetingId, state: 'pending', attempts: [], nextAttemptAt: at });
    },
    sendDue,
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay.values());
    },
    clear() {
      callbacks = [];
    },
  };
}

/** After these a callback is dropped. */
const retryDelaysMs = [30_000, 60_000, 120_000, 300_000];
const timeoutMs = 10_000;

/** The status of the answer, or null when there was none. */
async function get(url: string, closing: AbortSignal): Promise<number | null> {
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  }
}
