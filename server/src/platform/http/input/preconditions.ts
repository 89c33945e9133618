import { sql } from 'kysely';
import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../../failures.ts';
import type { AnswerContext } from '../answer/answer-context.ts';
import type { Call, Result, Route } from './call.ts';
import { matchesState } from '../answer/entity-tag.ts';
import { printPlain } from '../answer/print-resource.ts';

export function hasPreconditions(headers: IncomingHttpHeaders): boolean {
  return headers['if-match'] !== undefined || headers['if-none-match'] !== undefined;
}

/**
 * Locks the resource and compares `If-Match` with its state (optimistic concurrency), in the transaction of the
 * change.
 * @throws 412
 */
export async function requirePreconditions(target: Route | null, call: Call, { reader }: AnswerContext): Promise<void> {
  const { 'if-match': expected, 'if-none-match': unexpected } = call.request.headers;
  const state = target ? await lockState(target, call, reader) : null;
  const hasExpectedState = expected === undefined || (state !== null && matchesState(expected, state));
  const hasNoUnexpectedState = unexpected === undefined || state === null || !matchesState(unexpected, state);
  if (!hasExpectedState || !hasNoUnexpectedState)
    throw new Failure('precondition-failed', 'The resource has changed since you read it. Read it again.');
}

async function lockState(
  { endpoint, handle }: Route,
  call: Call,
  reader: AnswerContext['reader'],
): Promise<string | null> {
  const result = await handle(call);
  if (result.kind === 'row') {
    const key = sql.ref(`${result.view.table}.id`);
    await sql`select from ${sql.table(result.view.table)} where ${key} = ${result.row.id} for update`.execute(
      reader.db,
    );
    return await stateOf(await handle(call), { endpoint, reader });
  }
  return await stateOf(result, { endpoint, reader });
}

async function stateOf(result: Result, context: Pick<AnswerContext, 'endpoint' | 'reader'>): Promise<string | null> {
  if (result.kind !== 'row') return result.kind === 'object' ? printPlain(result, context) : null;
  if (result.view.hydrate) await result.view.hydrate([result.row as never], context.reader);
  return printPlain(result, context);
}
