import type { FastifyReply } from 'fastify';

/** Aborted when the answer has ended, or its client has disconnected. */
export function closedSignal({ raw }: FastifyReply): AbortSignal {
  const closed = new AbortController();
  raw.once('close', () => closed.abort());
  if (raw.destroyed) closed.abort();
  return closed.signal;
}
