import type { Uuid } from '../../../platform/identity/identifier.ts';

const initialSize = 4;
const maxWindow = 64;
const maxWindows = 10_000;

interface Window {
  /** How many requests may be in flight. */
  size: number;
  inFlight: number;
  isFailing: boolean;
  /** The receiver returned 410, and the result is not stored yet. */
  isClosed: boolean;
}

/**
 * Limits the requests in flight of a process and of each webhook. The window of a webhook doubles with each success and
 * falls to one with a failure, and failing webhooks together get at most half of all slots, so that receivers that hang
 * do not delay the others.
 */
export interface SendWindows {
  /** How many more requests may start. */
  freeSlots(): number;
  /** How many more requests each known webhook may start. */
  allowances(): { readonly ids: Uuid[]; readonly counts: number[] };
  /** The allowance of a webhook without earlier requests. */
  readonly initialAllowance: number;
  begin(id: Uuid, isFailing: boolean): void;
  succeed(id: Uuid): void;
  fail(id: Uuid): void;
  close(id: Uuid): void;
  isClosed(id: Uuid): boolean;
  reopen(id: Uuid): void;
  end(id: Uuid): void;
}

export function createSendWindows(slots: number): SendWindows {
  const windows = new Map<Uuid, Window>();
  let inFlight = 0;
  let failingInFlight = 0;

  function windowOf(id: Uuid): Window {
    const existing = windows.get(id);
    if (existing) return existing;
    const window = { size: initialSize, inFlight: 0, isFailing: false, isClosed: false };
    windows.set(id, window);
    return window;
  }
  function setFailing(window: Window, isFailing: boolean): void {
    if (window.isFailing !== isFailing) failingInFlight += isFailing ? window.inFlight : -window.inFlight;
    window.isFailing = isFailing;
  }

  return {
    initialAllowance: initialSize,
    freeSlots: () => slots - inFlight,
    allowances() {
      let slotsForFailing = Math.floor(slots / 2) - failingInFlight;
      const ids: Uuid[] = [];
      const counts: number[] = [];
      for (const [id, { size, inFlight: inFlightOfWebhook, isFailing, isClosed }] of windows) {
        let count = isClosed ? 0 : Math.max(0, size - inFlightOfWebhook);
        if (isFailing) {
          count = Math.max(0, Math.min(count, slotsForFailing));
          slotsForFailing -= count;
        }
        ids.push(id);
        counts.push(count);
      }
      return { ids, counts };
    },
    begin(id, isFailing) {
      const window = windowOf(id);
      if (isFailing && !window.isFailing && window.inFlight === 0) {
        window.size = 1;
        setFailing(window, true);
      }
      window.inFlight += 1;
      inFlight += 1;
      if (window.isFailing) failingInFlight += 1;
    },
    succeed(id) {
      const window = windowOf(id);
      window.size = Math.min(maxWindow, window.size * 2);
      setFailing(window, false);
    },
    fail(id) {
      const window = windowOf(id);
      window.size = 1;
      setFailing(window, true);
    },
    close: (id) => void (windowOf(id).isClosed = true),
    isClosed: (id) => windows.get(id)?.isClosed === true,
    reopen: (id) => void (windowOf(id).isClosed = false),
    end(id) {
      const window = windowOf(id);
      // Moves the webhook to the end of the queue for free slots.
      windows.delete(id);
      windows.set(id, window);
      window.inFlight -= 1;
      inFlight -= 1;
      if (window.isFailing) failingInFlight -= 1;
      if (windows.size > maxWindows) forgetIdle();
    },
  };

  function forgetIdle(): void {
    for (const [id, { inFlight: requestsInFlight, isClosed }] of windows)
      if (requestsInFlight === 0 && !isClosed) windows.delete(id);
  }
}
