import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import type { Resource } from '@foyer/contract/conventions/resource.ts';
import type { FastifyRequest } from 'fastify';
import { clientClosed } from '../../failures.ts';
import type { QueryParameters } from '../../list-query/list-request.ts';
import type { TotalCache } from '../../list-query/total-cache.ts';
import type { Reader, ReadSnapshot } from '../../list-query/view.ts';

export interface AnswerContext {
  readonly endpoint: Endpoint;
  readonly query: QueryParameters;
  readonly reader: Reader;
  readonly totals: TotalCache;
  readonly defaultPageSize: number;
  readonly request: FastifyRequest;
  readonly openSnapshot: () => Promise<ReadSnapshot>;
  /** Runs the statements of one page in a slot of the caller, so that no caller takes most of the connections. */
  readonly inPageSlot: <Outcome>(read: () => Promise<Outcome>) => Promise<Outcome>;
  /** @throws 429 `too-many-at-once` when too many rows of other answers to the caller are in memory */
  readonly checkHeldRows: () => void;
  /** Counts the memory of the rows until the answer has ended. @throws 429 `too-many-at-once`, 503 `busy` */
  readonly holdRows: (bytes: number) => void;
}

/** @returns a check that throws if the client of a read has disconnected; responses to writes are always completed */
export function checkClientOf({ request, endpoint }: AnswerContext): () => void {
  return () => {
    if (endpoint.method === 'GET' && request.raw.socket.destroyed) throw clientClosed();
  };
}

export function metaOf(
  resource: Resource,
  ignored: readonly string[],
  custom: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const members = Object.assign({}, custom, ignored.length > 0 ? { ignored_includes: ignored } : {});
  return { include: Object.keys(resource.includes), custom: Object.keys(members).length > 0 ? members : [] };
}
