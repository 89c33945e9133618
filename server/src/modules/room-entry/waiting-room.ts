import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Uuid } from '../../platform/identifier.ts';
import { guarded } from './page-response.ts';

/** Keeps the connections of who waits at doors, and tells each once when its door opens. */
export interface WaitingRoom {
  /** Answers with server-sent events; false when there is no seat left. */
  seat(roomId: Uuid, request: FastifyRequest, reply: FastifyReply): boolean;
  close(): void;
}

const lookEveryMs = 1000;
/** Proxies cut connections that say nothing. */
const breathEveryMs = 20_000;
const seats = 20_000;
/** Who is let in at once, every tenth of a second: a full hall does not come through the door in one instant. */
const letInAtOnce = 25;
const letInEveryMs = 100;

/**
 * However many wait in however many rooms, the database is asked once a second; and not at all while nobody waits.
 * @param runningAmong those of the rooms in which a meeting is on
 */
export function openWaitingRoom(
  runningAmong: (rooms: readonly Uuid[]) => Promise<readonly Uuid[]>,
  logger: FastifyBaseLogger,
): WaitingRoom {
  const waiting = new Map<Uuid, Set<Seat>>();
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
      logger.warn({ err: error }, 'nobody was told that a meeting started');
    }
    timer = null;
    lookLater();
  }

  return {
    seat(roomId, request, reply) {
      if (taken >= seats || isClosed) return false;
      const others = waiting.get(roomId) ?? new Set();
      const { raw } = reply.hijack();
      raw.writeHead(200, {
        ...guarded,
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
      });
      raw.write(`retry: 5000\n\n`);
      const breath = setInterval(() => raw.write(':\n\n'), breathEveryMs);
      const seat: Seat = {
        tell: () => raw.end('event: started\ndata: {}\n\n'),
        leave: () => raw.end(),
      };
      others.add(seat);
      waiting.set(roomId, others);
      taken++;
      request.raw.socket.setNoDelay(true);
      raw.on('close', () => {
        clearInterval(breath);
        if (!others.delete(seat)) return;
        taken--;
        if (others.size === 0) waiting.delete(roomId);
      });
      lookLater();
      return true;
    },
    close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      for (const seated of waiting.values()) for (const seat of seated) seat.leave();
    },
  };
}

interface Seat {
  readonly tell: () => void;
  readonly leave: () => void;
}

function letIn(seated: readonly Seat[]): void {
  for (const seat of seated.slice(0, letInAtOnce)) seat.tell();
  const others = seated.slice(letInAtOnce);
  if (others.length > 0) setTimeout(() => letIn(others), letInEveryMs);
}
