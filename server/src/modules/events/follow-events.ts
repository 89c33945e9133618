import type { RawBuilder } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';
import { Failure, invalidInput } from '../../platform/failures.ts';
import { closedSignal } from '../../platform/http/answer/closed-signal.ts';
import { type Result, stream, type CallOf } from '../../platform/http/input/call.ts';
import { parseIdentifier } from '../../platform/identity/identifier.ts';
import { createSlots } from '../../platform/limits/slots.ts';
import { tenantScopeOf } from '../../platform/list-query/view.ts';
import type { EventTail } from './event-tail.ts';
import { type EventRow, readLastPosition, listEventsAfter, findPosition } from './store.ts';
import { eventView, printEvent } from './transformer.ts';

/** How many streams one caller may have open in this process. */
const maxConcurrentStreams = 8;
/** Proxies close connections on which nothing is sent. */
const heartbeatMs = 15_000;
/** Shorter than the time limit of answers, so that a stream is closed regularly. */
const maxStreamMs = 540_000;
const batchSize = 200;

type StreamCall = CallOf<'streamEvents'>;

/** Answers with server-sent events: those after `Last-Event-ID`, then new ones as they are published. */
export function followEvents({ db }: Pick<Dependencies, 'db'>, tail: EventTail): (call: StreamCall) => Promise<Result> {
  const slots = createSlots(maxConcurrentStreams);
  return async (call) => {
    const { reader, reply, principal } = call;
    const start = await findStart(call);
    const release = slots.tryEnter(principal?.id ?? '');
    if (!release)
      throw new Failure('too-many-at-once', 'You have too many event streams open. Close one first.', {
        retryAfter: 5,
      });
    const closed = closedSignal(reply);
    if (closed.aborted) release();
    else closed.addEventListener('abort', release);
    const scope = tenantScopeOf(eventView, reader);
    return stream('text/event-stream; charset=utf-8', null, streamMessages(call, start, scope, closed));
  };

  async function findStart({ request, query }: StreamCall): Promise<number> {
    const lastId = query['last_event_id'] ?? singleHeader(request.headers['last-event-id']);
    if (lastId === undefined || lastId === '') return await readLastPosition(db);
    const id = parseIdentifier('evt', lastId);
    if (id === null) throw invalidInput({ last_event_id: ['The last event id must be the id of an event.'] });
    return await findPosition(db, id);
  }

  async function* streamMessages(
    call: StreamCall,
    start: number,
    scope: RawBuilder<unknown> | null,
    closed: AbortSignal,
  ): AsyncGenerator<string> {
    const endsAt = performance.now() + maxStreamMs;
    let position = start;
    yield 'retry: 2000\n\n';
    while (!closed.aborted && performance.now() < endsAt) {
      const lastPosition = await tail.waitForEventAfter(position, heartbeatMs, closed);
      if (closed.aborted || !(await call.isStillAllowed())) return;
      if (lastPosition <= position) {
        yield ':\n\n';
        continue;
      }
      const rows = await listEventsAfter(db, { after: position, last: lastPosition, limit: batchSize }, scope);
      position = rows.length < batchSize ? lastPosition : (rows.at(-1)?.position ?? lastPosition);
      if (rows.length > 0) yield rows.map(printMessage).join('');
    }
  }
}

function printMessage(row: EventRow): string {
  const event = printEvent(row);
  return `id: ${String(event['id'])}\nevent: ${row.name}\ndata: ${JSON.stringify(event)}\n\n`;
}

function singleHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
