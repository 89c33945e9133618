import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Socket } from 'node:net';

/** The requests whose answer has not ended. */
export interface RunningRequests {
  /** The replies on a connection: several only if the client pipelines requests. */
  of(socket: Socket): readonly FastifyReply[];
  all(): readonly FastifyReply[];
  /** Resolves when none is left, at the latest after this time. */
  ended(withinMs: number): Promise<void>;
}

/**
 * Two habits would keep each request in memory until the next full garbage collection, which made requests a fifth
 * slower: a Set or Map of replies (its replaced tables refer to the later ones), and `once` on a reply.
 */
export function trackRequests(server: FastifyInstance): RunningRequests {
  const byConnection = new Map<Socket, FastifyReply[]>();
  let count = 0;
  let reportEnd: (() => void) | null = null;
  function repliesOf(socket: Socket): FastifyReply[] {
    const existing = byConnection.get(socket);
    if (existing) return existing;
    const replies: FastifyReply[] = [];
    byConnection.set(socket, replies);
    socket.once('close', () => byConnection.delete(socket));
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
      if (count === 0) reportEnd?.();
    });
    done();
  });
  return {
    of: (socket) => byConnection.get(socket) ?? [],
    all: () => [...byConnection.values()].flat(),
    async ended(withinMs) {
      if (count === 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        reportEnd = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
