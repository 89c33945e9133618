import { createClient, FoyerError, type FoyerEvent } from '@foyer/sdk';
import { client } from '../../../kit/api/client.ts';
import { subscribeToReachability, watchedFetch } from '../../../kit/api/reachability.ts';
import { currentToken, renewToken } from '../../../kit/api/session.ts';

export interface FeedReader {
  /** Whether the caller may read events. */
  readonly mayRead: boolean;
  onEvent(event: FoyerEvent): void;
  /** Called when events may have been missed. */
  onGap(): void;
}

/** How often the page is refreshed while there is no stream. */
const refreshMs = 60_000;
/** After a longer absence, a refresh is cheaper than reading all missed events. */
const maxAbsenceMs = 300_000;

/** The id of the last known event. Data that were read later include its change. */
let lastEventId: string | undefined;
let lastActiveAtMs = Date.now();

/** Stores the last event, after which the feed begins. Called before a page reads its data, so that no later event is missed. */
export async function rememberFeedPosition(): Promise<void> {
  if (lastEventId === undefined) await storeLastEvent();
}

async function storeLastEvent(): Promise<void> {
  const query = { limit: 1, filter: 'id', count: false };
  // If this fails, the stream begins with the next event.
  const page = await client.listEvents({ query }).catch(() => null);
  lastEventId = page?.data[0]?.id;
  lastActiveAtMs = Date.now();
}

/** Follows the events while the page is visible. @returns a function that stops following */
export function followEvents(reader: FeedReader): () => void {
  let isOpen = false;
  let activeController: AbortController | null = null;
  const streams = createClient({
    baseUrl: window.location.origin,
    token: currentToken,
    onUnauthenticated: renewToken,
    async fetch(input, init) {
      isOpen = false;
      const answer = await watchedFetch(input, init);
      isOpen = answer.ok;
      return answer;
    },
  });

  async function follow(signal: AbortSignal): Promise<void> {
    try {
      const from = lastEventId === undefined ? {} : { lastEventId };
      for await (const event of streams.events.stream({ ...from, signal })) {
        lastEventId = event.id;
        reader.onEvent(event);
      }
    } catch (error) {
      if (!signal.aborted && !(error instanceof FoyerError)) throw error;
    } finally {
      if (activeController?.signal === signal) {
        isOpen = false;
        activeController = null;
      }
    }
  }

  function stop(): void {
    activeController?.abort();
    activeController = null;
    isOpen = false;
  }

  function start(): void {
    if (!reader.mayRead || document.hidden) return;
    stop();
    const controller = new AbortController();
    activeController = controller;
    void follow(controller.signal);
  }

  async function resume(): Promise<void> {
    const wasLongAbsent = Date.now() - lastActiveAtMs > maxAbsenceMs;
    if (wasLongAbsent) {
      stop();
      if (reader.mayRead) await storeLastEvent();
      reader.onGap();
    }
    lastActiveAtMs = Date.now();
    if (!isOpen) start();
  }

  function onVisibility(): void {
    if (document.hidden) stop();
    else void resume();
  }

  const timer = setInterval(() => {
    if (document.hidden) return;
    if (!isOpen) reader.onGap();
    void resume();
  }, refreshMs);
  const unsubscribe = subscribeToReachability(() => void resume());
  document.addEventListener('visibilitychange', onVisibility);
  window.addEventListener('online', onVisibility);
  void resume();
  return () => {
    clearInterval(timer);
    unsubscribe();
    document.removeEventListener('visibilitychange', onVisibility);
    window.removeEventListener('online', onVisibility);
    stop();
  };
}
