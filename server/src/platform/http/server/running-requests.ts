import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Socket } from 'node:net';

/** The requests whose answer has not ended. */
export interface RunningRequests {
  /** The replies on a connection: several only if the client pipelines requests. */
  repliesOn(socket: Socket): readonly FastifyReply[];
  allReplies(): readonly FastifyReply[];
  /** Resolves when no request is running, at the latest after this time. */
  waitUntilEnded(withinMs: number): Promise<void>;
}

/**
 * Tracks requests without a Set or Map of replies (its replaced tables refer to later ones) and without `once` on a
 * reply. Both would keep each request in memory until the next full garbage collection, and make requests a fifth
 * slower.
 */
export function trackRequests(server: FastifyInstance): RunningRequests {
  const repliesByConnection = new Map<Socket, FastifyReply[]>();
  let count = 0;
  let onAllEnded: (() => void) | null = null;
  function repliesOf(socket: Socket): FastifyReply[] {
    const existing = repliesByConnection.get(socket);
    if (existing) return existing;
    const replies: FastifyReply[] = [];
    repliesByConnection.set(socket, replies);
    socket.once('close', () => repliesByConnection.delete(socket));
    return replies;
  }
  server.addHook('onRequest', (request, reply, done) => {
    const replies = repliesOf(request.raw.socket);
    replies.push(reply);
    count += 1;
    // Emitted also when the client disconnects during the answer.
    reply.raw.on('close', () => {
      replies.splice(replies.indexOf(reply), 1);
      count -= 1;
      if (count === 0) onAllEnded?.();
    });
    done();
  });
  return {
    repliesOn: (socket) => repliesByConnection.get(socket) ?? [],
    allReplies: () => [...repliesByConnection.values()].flat(),
    async waitUntilEnded(withinMs) {
      if (count === 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        onAllEnded = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
