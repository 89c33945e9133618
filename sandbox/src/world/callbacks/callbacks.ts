import type { SandboxClock } from '../clock.ts';
import type { SandboxLogger } from '../logger.ts';

export const callbackKinds = ['end', 'recording-ready', 'analytics', 'hook'] as const;
export type CallbackKind = (typeof callbackKinds)[number];

/** A callback, with all attempts so far. */
export interface Callback {
  /** Counts from 1. */
  id: number;
  kind: CallbackKind;
  /** The registered address, without the parameters that are added when sending. */
  url: string;
  meetingId: string;
  state: 'pending' | 'delivered' | 'dropped';
  attempts: { at: number; status: number | null }[];
  nextAttemptAt: number | null;
  /** The request that was last sent. */
  sent: OutgoingRequest | null;
}

export interface OutgoingRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

export interface CallbackTask {
  kind: CallbackKind;
  url: string;
  meetingId: string;
  at: number;
  /** After the last delay the callback is dropped. */
  retryDelaysMs: readonly number[];
  /** Called for every attempt. */
  prepare(secret: string, now: number): OutgoingRequest;
  /** Whether this status counts as delivered. */
  isAccepted(status: number): boolean;
  onDropped?(): void;
}

/**
 * Faults of callbacks. `lost`: never sent nor retried. `twice`: sent again after delivery.
 * `forged`: signed with a secret that is not the server's.
 */
export const disturbanceKinds = ['lost', 'twice', 'forged'] as const;

export interface CallbackDisturbance {
  kind: (typeof disturbanceKinds)[number];
  callback: CallbackKind | '*';
  /** The number of affected callbacks; null: until cleared. */
  times: number | null;
}

export interface CallbackSender {
  /** All pending callbacks and the newest 1,000 finished ones. */
  all(): readonly Callback[];
  queue(task: CallbackTask): void;
  /** Starts all attempts that are due. */
  sendDue(): void;
  /** Repeats the last request unchanged. @returns false if the callback is unknown or was never sent. */
  replay(id: number): boolean;
  disturbances(): readonly CallbackDisturbance[];
  disturb(disturbance: CallbackDisturbance): void;
  clearDisturbances(): void;
  /** Resolves when no attempt is running. */
  waitUntilIdle(): Promise<void>;
  /** Removes all callbacks and disturbances. Running attempts have no further effect. */
  clear(): void;
}

export function appendQuery(url: string, query: string): string {
  const [address = '', fragment] = url.split('#', 2);
  const joined = `${address}${address.includes('?') ? '&' : '?'}${query}`;
  return fragment === undefined ? joined : `${joined}#${fragment}`;
}

/** @param secret signs the requests */
export function createCallbackSender(
  { clock, logger, secret }: { clock: SandboxClock; logger: SandboxLogger; secret: string },
  closing: AbortSignal,
): CallbackSender {
  let nextId = 1;
  const pending = new Map<Callback, CallbackTask>();
  let finished: Callback[] = [];
  let disturbances: CallbackDisturbance[] = [];
  const inProgress = new Map<Callback, Promise<void>>();

  async function attempt(callback: Callback, task: CallbackTask): Promise<void> {
    const at = clock.now();
    const disturbance = takeDisturbance(task.kind);
    if (disturbance === 'lost') return finish(callback, 'dropped');
    const request = task.prepare(disturbance === 'forged' ? `not ${secret}` : secret, at);
    callback.sent = request;
    const status = await send(request, closing);
    callback.attempts.push({ at, status });
    const retryAfter = task.retryDelaysMs[callback.attempts.length - 1];
    if (status !== null && task.isAccepted(status)) {
      if (disturbance === 'twice') await send(request, closing);
      finish(callback, 'delivered');
    } else if (retryAfter === undefined) {
      logger.warn(
        { meetingID: callback.meetingId, kind: task.kind, status },
        'A callback was dropped after its last attempt.',
      );
      finish(callback, 'dropped');
      task.onDropped?.();
    } else {
      callback.nextAttemptAt = at + retryAfter;
    }
  }

  function finish(callback: Callback, state: 'delivered' | 'dropped'): void {
    callback.state = state;
    callback.nextAttemptAt = null;
    if (!pending.delete(callback)) return;
    finished.push(callback);
    if (finished.length > maxFinishedCallbacks * 2) finished = finished.slice(-maxFinishedCallbacks);
  }

  function takeDisturbance(kind: CallbackKind): CallbackDisturbance['kind'] | null {
    const disturbance = disturbances.find(({ callback }) => callback === kind || callback === '*');
    if (!disturbance) return null;
    if (disturbance.times !== null && --disturbance.times <= 0)
      disturbances = disturbances.filter((other) => other !== disturbance);
    return disturbance.kind;
  }

  function sendDue(): void {
    if (closing.aborted || pending.size === 0) return;
    const now = clock.now();
    for (const [callback, task] of pending) {
      if (inProgress.size >= maxConcurrent) break;
      const { nextAttemptAt } = callback;
      if (nextAttemptAt === null || nextAttemptAt > now || inProgress.has(callback)) continue;
      start(callback, attempt(callback, task));
    }
  }

  function start(callback: Callback, sending: Promise<void>): void {
    inProgress.set(
      callback,
      sending.finally(() => {
        inProgress.delete(callback);
        sendDue();
      }),
    );
  }

  return {
    all: () => [...finished, ...pending.keys()].sort((one, other) => one.id - other.id),
    queue(task) {
      const { kind, url, meetingId, at } = task;
      const progress = { state: 'pending', attempts: [], nextAttemptAt: at, sent: null } as const;
      pending.set({ id: nextId++, kind, url, meetingId, ...progress, attempts: [] }, task);
    },
    sendDue,
    replay(id) {
      const callback = [...finished, ...pending.keys()].find((sent) => sent.id === id);
      if (!callback?.sent || inProgress.has(callback)) return false;
      start(
        callback,
        send(callback.sent, closing).then(() => undefined),
      );
      return true;
    },
    disturbances: () => disturbances,
    disturb(disturbance) {
      disturbances.push({ ...disturbance });
    },
    clearDisturbances() {
      disturbances = [];
    },
    async waitUntilIdle() {
      while (inProgress.size > 0) await Promise.all(inProgress.values());
    },
    clear() {
      pending.clear();
      finished = [];
      disturbances = [];
    },
  };
}

/** Ending ten thousand meetings at once must not open ten thousand connections. */
const maxConcurrent = 50;
const maxFinishedCallbacks = 1_000;
const timeoutMs = 10_000;

/** The status of the response, or null without a response. */
async function send({ method, url, headers, body }: OutgoingRequest, closing: AbortSignal): Promise<number | null> {
  try {
    const response = await fetch(url, {
      method,
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  }
}
