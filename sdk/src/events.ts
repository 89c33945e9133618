import { FoyerError, readFailure } from './foyer-error.ts';
import type { EventContents, Operations } from './operations.ts';

type AnyEvent = Operations['readEvent']['answer']['data'];
type CommonMember =
  | 'object'
  | 'id'
  | 'uuid'
  | 'ulid'
  | 'resource_type'
  | 'resource_id'
  | 'sequence'
  | 'customer_id'
  | 'actor'
  | 'previous'
  | 'occurred_at';

/** An event; its `name` tells the type of its `data`. Some events have more members in `data`. */
export type FoyerEvent = {
  readonly [Name in keyof EventContents]: Pick<AnyEvent, CommonMember> & {
    readonly name: Name;
    readonly data: EventContents[Name] & Readonly<Record<string, unknown>>;
  };
}[keyof EventContents];

export interface StreamOptions {
  /** Resumes after this event. Without it, the stream begins with the next event. */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
}

export interface Events {
  /** Yields events while you read. Reconnects automatically, without a gap. */
  stream(options?: StreamOptions): AsyncGenerator<FoyerEvent>;
}

type Open = (query: { last_event_id?: string }, signal: AbortSignal | undefined) => Promise<Response>;

const pauseMs = 1000;
const maxPauseMs = 30_000;
/** The server sends something every 15 seconds. A connection that was lost during sleep or by a proxy stays silent. */
const maxSilenceMs = 45_000;

type ReadNewest = (signal: AbortSignal | undefined) => Promise<readonly { readonly id: string }[]>;

/** The position before all events. */
const smallestId = `evt_${'0'.repeat(26)}`;

/** @param readNewest reads the newest event, if there is one */
export function createEvents(open: Open, readNewest: ReadNewest): Events {
  return {
    async *stream({ lastEventId, signal } = {}) {
      let lastId = lastEventId;
      // A connection that ends before its first event is resumed after the event that was the newest when it began.
      let resumeAfter = lastEventId;
      for (let failures = 0; ; failures++) {
        resumeAfter ??= await newestId(readNewest, signal);
        const answer = await openOrNull(open, lastId, signal);
        if (answer?.body) {
          failures = 0;
          lastId ??= resumeAfter;
          for await (const event of readMessages(answer.body)) {
            lastId = event.id;
            yield event;
          }
        }
        await pause(Math.min(pauseMs * 2 ** failures, maxPauseMs), signal);
      }
    },
  };
}

/** Returns undefined if the read should be retried. @throws `FoyerError` for permanent refusals */
async function newestId(readNewest: ReadNewest, signal: AbortSignal | undefined): Promise<string | undefined> {
  try {
    return (await readNewest(signal))[0]?.id ?? smallestId;
  } catch (error) {
    throwIfPermanent(error, signal);
    return undefined;
  }
}

/** Returns null if the connection should be retried. @throws `FoyerError` for permanent refusals */
async function openOrNull(open: Open, lastId: string | undefined, signal: AbortSignal | undefined) {
  try {
    const answer = await open(lastId === undefined ? {} : { last_event_id: lastId }, signal);
    if (answer.status < 400) return answer;
    const body: unknown = await answer.json().catch(() => null);
    throw readFailure({ status: answer.status, headers: answer.headers, body });
  } catch (error) {
    throwIfPermanent(error, signal);
    return null;
  }
}

function throwIfPermanent(error: unknown, signal: AbortSignal | undefined): void {
  signal?.throwIfAborted();
  if (error instanceof FoyerError && error.status < 500 && error.status !== 429) throw error;
}

/** Ends when the connection ends for any reason. */
async function* readMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<FoyerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  const closeReader = () => void reader.cancel().catch(() => undefined);
  let silenceTimer = setTimeout(closeReader, maxSilenceMs);
  let text = '';
  try {
    for (;;) {
      const chunk = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (chunk.done || chunk.value === undefined) return;
      clearTimeout(silenceTimer);
      silenceTimer = setTimeout(closeReader, maxSilenceMs);
      text += chunk.value;
      const messages = text.split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) {
        const data = message.split('\n').filter((line) => line.startsWith('data: '));
        if (data.length > 0) yield JSON.parse(data.map((line) => line.slice(6)).join('\n')) as FoyerEvent;
      }
    }
  } finally {
    clearTimeout(silenceTimer);
    await reader.cancel().catch(() => undefined);
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done);
  });
  signal?.throwIfAborted();
}
