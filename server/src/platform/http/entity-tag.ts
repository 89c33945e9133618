import { createHash } from 'node:crypto';
import { printRow } from '../list-query/print-row.ts';
import type { Reader } from '../list-query/view.ts';
import type { Result } from './call.ts';

/**
 * The strong tag of an answer: first what the resource is, whoever reads which part of it, then what was sent.
 * A write compares the first half, so that a tag from a read with other includes serves; a read compares both.
 * The sentences of relative time change by themselves and are left out.
 */
export function entityTag(state: string, body: string): string {
  return `"${digest(state)}.${digest(body.replace(relativeTimes, ''))}"`;
}

const relativeTimes = /"readable_(?:created|updated)_at":"[^"]*",?/g;

/** Everything of the resource that any caller with these rights reads. */
export function printState(result: Extract<Result, { kind: 'row' | 'object' }>, reader: Reader): string {
  if (result.kind === 'object') return JSON.stringify(result.value);
  const printed = printRow(result.view as never, result.row, reader, null);
  printed['readable_created_at'] = undefined;
  printed['readable_updated_at'] = undefined;
  return JSON.stringify(printed);
}

/** Whether `If-None-Match` names the tag: exactly as it was sent. */
export function matchesEntityTag(field: string | undefined, etag: string): boolean {
  if (field === undefined) return false;
  return field.trim() === '*' || tagsOf(field).includes(etag);
}

/** Whether a field of a write names the state, in whichever form the resource was read. */
export function matchesState(field: string, state: string): boolean {
  return field.trim() === '*' || tagsOf(field).some((tag) => tag.startsWith(`"${digest(state)}.`));
}

/** Weak tags are no evidence of a state. */
function tagsOf(field: string): string[] {
  return [...field.matchAll(/(W\/)?("[^"]*")/g)].flatMap(([, weak, tag = '']) => (weak ? [] : [tag]));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
