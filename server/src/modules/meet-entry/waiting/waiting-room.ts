import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup } from '../../../platform/identity/address-group.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { securityHeaders } from '../pages/response.ts';
import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';

/** Keeps the connections of waiting participants, and notifies each once when the meeting starts. */
export interface WaitingRoom {
  /** Answers with server-sent events; false if the limit of connections is reached. */
  connect(roomId: Uuid, request: FastifyRequest, reply: FastifyReply): boolean;
  close(): void;
}

const pollEveryMs = 1000;
/** Proxies close connections on which nothing is sent. */
const keepAliveEveryMs = 20_000;
const maxConnections = 5000;
/** Per address, which a whole school may share. Pages without a connection poll instead. */
const maxConnectionsPerAddress = 300;
/**
 * How many waiting participants are notified every tenth of a second, so that they do not all join at the same time.
 */
const notificationBatchSize = 25;
const notifyEveryMs = 100;

/**
 * One query per second serves the waiting participants of all rooms. While no one waits, there are no queries.
 * @param findRunningRooms returns the rooms that have a running meeting
 */
export function createWaitingRoom(
  findRunningRooms: (rooms: readonly Uuid[]) => Promise<readonly Uuid[]>,
  logger: FastifyBaseLogger,
): WaitingRoom {
  const connectionsByRoom = new Map<Uuid, Set<WaitingConnection>>();
  const countByAddress = new Map<string, number>();
  let count = 0;
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;

  function pollLater(): void {
    if (timer === null && connectionsByRoom.size > 0 && !isClosed) timer = setTimeout(() => void poll(), pollEveryMs);
  }
  async function poll(): Promise<void> {
    try {
      const rooms = [...connectionsByRoom.keys()];
      const running = rooms.length === 0 ? [] : await findRunningRooms(rooms);
      for (const roomId of running) notify([...(connectionsByRoom.get(roomId) ?? [])]);
    } catch (error) {
      logger.warn({ err: error }, 'waiting participants were not notified of the start of a meeting');
    }
    timer = null;
    pollLater();
  }

  return {
    connect(roomId, request, reply) {
      const address = addressGroup(request.ip);
      const addressCount = countByAddress.get(address) ?? 0;
      // A pipelined answer has no `close` event of its own.
      const isPipelined = reply.raw.socket === null;
      if (count >= maxConnections || addressCount >= maxConnectionsPerAddress || isPipelined || isClosed) return false;
      const { raw } = reply.hijack();
      const keepAlive = setInterval(() => raw.write(':\n\n'), keepAliveEveryMs);
      const roomConnections = connectionsByRoom.get(roomId) ?? new Set();
      const connection: WaitingConnection = {
        end(text) {
          if (!roomConnections.delete(connection)) return;
          if (roomConnections.size === 0) connectionsByRoom.delete(roomId);
          clearInterval(keepAlive);
          raw.end(text);
        },
      };
      roomConnections.add(connection);
      connectionsByRoom.set(roomId, roomConnections);
      count++;
      countByAddress.set(address, addressCount + 1);
      raw.on('error', () => raw.destroy());
      raw.once('close', () => {
        connection.end('');
        count--;
        const remaining = (countByAddress.get(address) ?? 1) - 1;
        if (remaining > 0) countByAddress.set(address, remaining);
        else countByAddress.delete(address);
      });
      raw.writeHead(200, {
        ...securityHeaders,
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
        connection: 'close',
      });
      raw.write('retry: 5000\n\n');
      pollLater();
      return true;
    },
    close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      for (const connections of connectionsByRoom.values()) for (const connection of connections) connection.end('');
    },
  };
}

interface WaitingConnection {
  /** Sends the text and closes the connection. */
  readonly end: (text: string) => void;
}

function notify(connections: readonly WaitingConnection[]): void {
  for (const connection of connections.slice(0, notificationBatchSize)) connection.end('event: started\ndata: {}\n\n');
  const remaining = connections.slice(notificationBatchSize);
  if (remaining.length > 0) setTimeout(() => notify(remaining), notifyEveryMs);
}

/** The rooms that have a running meeting. */
export async function findRunningRooms(db: Database, rooms: readonly Uuid[]): Promise<Uuid[]> {
  // One statement for any number of rooms, so that it stays prepared.
  const running = sql<{ room_id: Uuid }>`
    select room_id from meetings where room_id = any(${[...rooms]}::uuid[]) and state = 'open'
  `;
  return (await running.execute(db)).rows.map(({ room_id }) => room_id);
}
