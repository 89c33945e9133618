import { useSyncExternalStore } from 'react';

/** Whether the server answered the last request. */
let isReachable = true;
const listeners = new Set<() => void>();

/** `fetch` that records whether the server can be reached. */
export async function watchedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    const answer = await fetch(input, init);
    // Bad gateway and gateway time-out: a proxy answers for a server that does not.
    noteReachable(answer.status !== 502 && answer.status !== 504);
    return answer;
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) noteReachable(false);
    throw error;
  }
}

/** Checks whether the server can be reached. */
export async function checkReachability(): Promise<boolean> {
  await watchedFetch('/healthz', { cache: 'no-store' }).catch(() => null);
  return isReachable;
}

/** Loads code, and after a failed connection loads it again once the server can be reached. */
export async function loadWhenReachable<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      if (await checkReachability()) throw error;
      await new Promise<void>((resolve) => {
        const unsubscribe = subscribeToReachability(() => {
          unsubscribe();
          resolve();
        });
      });
    }
  }
}

export function useIsReachable(): boolean {
  return useSyncExternalStore(subscribeToReachability, () => isReachable);
}

export function subscribeToReachability(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function noteReachable(next: boolean): void {
  if (next === isReachable) return;
  isReachable = next;
  for (const listener of listeners) listener();
}

window.addEventListener('offline', () => noteReachable(false));
