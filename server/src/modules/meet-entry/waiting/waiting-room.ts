import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup } from '../../../platform/identity/address-group.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { securityHeaders } from '../pages/response.ts';

/** Keeps the connections of waiting participants, and notifies each once when the meeting starts. */
export interface WaitingRoom {
  /** Answers with server-sent events; false if the limit of connections is reached. */
  seat(roomId: Uuid, request: FastifyRequest, reply: FastifyReply): boolean;
  close(): void;
}

const lookEveryMs = 1000;
/** Proxies close connections on which nothing is sent. */
const breathEveryMs = 20_000;
const seats = 5000;
/** Per address, which a whole school may share. Pages without a connection poll instead. */
const seatsOfAddress = 300;
/**
 * How many waiting participants are notified every tenth of a second, so that they do not all join at the same time.
 */
const letInAtOnce = 25;
const letInEveryMs = 100;

/**
 * One query per second serves all waiting participants of all rooms; none while there are none.
 * @param runningAmong returns the rooms that have a running meeting
 */
export function openWaitingRoom(
  runningAmong: (rooms: readonly Uuid[]) => Promise<readonly Uuid[]>,
  logger: FastifyBaseLogger,
): WaitingRoom {
  const waiting = new Map<Uuid, Set<Seat>>();
  const takenBy = new Map<string, number>();
  let taken = 0;
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;

  function lookLater(): void {
    if (timer === null && waiting.size > 0 && !isClosed) timer = setTimeout(() => void look(), lookEveryMs);
  }
  async function look(): Promise<void> {
    try {
      const rooms = [...waiting.keys()];
      const running = rooms.length === 0 ? [] : await runningAmong(rooms);
      for (const roomId of running) letIn([...(waiting.get(roomId) ?? [])]);
    } catch (error) {
      logger.warn({ err: error }, 'waiting participants were not notified of the start of a meeting');
    }
    timer = null;
    lookLater();
  }

  return {
    seat(roomId, request, reply) {
      const address = addressGroup(request.ip);
      const ofAddress = takenBy.get(address) ?? 0;
      // A pipelined answer has no `close` event of its own.
      const isBehind = reply.raw.socket === null;
      if (taken >= seats || ofAddress >= seatsOfAddress || isBehind || isClosed) return false;
      const { raw } = reply.hijack();
      const breath = setInterval(() => raw.write(':\n\n'), breathEveryMs);
      const others = waiting.get(roomId) ?? new Set();
      const seat: Seat = {
        end(text) {
          if (!others.delete(seat)) return;
          if (others.size === 0) waiting.delete(roomId);
          clearInterval(breath);
          raw.end(text);
        },
      };
      others.add(seat);
      waiting.set(roomId, others);
      taken++;
      takenBy.set(address, ofAddress + 1);
      raw.on('error', () => raw.destroy());
      raw.once('close', () => {
        seat.end('');
        taken--;
        const left = (takenBy.get(address) ?? 1) - 1;
        if (left > 0) takenBy.set(address, left);
        else takenBy.delete(address);
      });
      raw.writeHead(200, {
        ...securityHeaders,
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
        connection: 'close',
      });
      raw.write('retry: 5000\n\n');
      lookLater();
      return true;
    },
    close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      for (const seated of waiting.values()) for (const seat of seated) seat.end('');
    },
  };
}

interface Seat {
  /** Notifies the waiting visitors and removes them. */
  readonly end: (text: string) => void;
}

function letIn(seated: readonly Seat[]): void {
  for (const seat of seated.slice(0, letInAtOnce)) seat.end('event: started\ndata: {}\n\n');
  const others = seated.slice(letInAtOnce);
  if (others.length > 0) setTimeout(() => letIn(others), letInEveryMs);
}
