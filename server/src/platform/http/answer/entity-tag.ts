import { createHash, hash } from 'node:crypto';
import { linkEnding } from '../../crypto/signed-link.ts';

/**
 * The strong tag of an answer: first what the resource is, whoever reads which part of it; then, where the answer is
 * not just that, what was sent. A write compares the first half, so that a tag from a read with other includes serves;
 * a read compares both. The sentences of relative time change by themselves and are left out; so are the ends of links,
 * of the first half alone: what was kept with links that came to their end must be read again.
 * @param plain what a read of the resource answers that asks for nothing special.
 */
export function entityTag(plain: string, body: string): string {
  const state = stateOf(plain);
  return body === plain && body.search(linkEnding) < 0 ? `"${state}"` : `"${state}.${digest(body)}"`;
}

/** The tag of an answer that is too long to be held in memory: what a digest was fed with is what was sent. */
export function entityTagOfChunks(plain: string, sent: Digest): string {
  return `"${stateOf(plain)}.${sent.finish()}"`;
}

/** The content codings in which answers are sent. */
export type Coding = 'br' | 'gzip';

/** The tag of an answer in a content coding: a strong tag names the bytes that are sent. */
export function withCoding(etag: string, coding: Coding): string {
  return etag.replace(/"$/, `~${coding}"`);
}

/**
 * The tag in the `If-None-Match` of a read that names the answer, in whichever coding the client has it and also where
 * an intermediary has weakened it; null when there is none.
 * @param coding in which the answer would be sent
 */
export function findEntityTag(field: string | undefined, etag: string, coding: Coding | null): string | null {
  if (field === undefined) return null;
  if (field.trim() === '*') return etag;
  const known = [...field.matchAll(/"[^"]*"/g)].map(([tag]) => tag).filter((tag) => withoutCoding(tag) === etag);
  return known.find((tag) => coding !== null && tag === withCoding(etag, coding)) ?? known[0] ?? null;
}

/** Whether a field of a write names the resource as it is, in whichever form it was read. */
export function matchesState(field: string, plain: string): boolean {
  if (field.trim() === '*') return true;
  const state = stateOf(plain);
  return tagsOf(field).some((tag) => tag === `"${state}"` || tag.startsWith(`"${state}.`));
}

/** Weak tags are no evidence of a state. */
function tagsOf(field: string): string[] {
  return [...field.matchAll(/(W\/)?("[^"]*")/g)].flatMap(([, weak, tag = '']) => (weak ? [] : [withoutCoding(tag)]));
}

function withoutCoding(tag: string): string {
  return tag.replace(/~(?:br|gzip)"$/, '"');
}

const relativeTimes = /"readable_(?:created|updated)_at":"[^"]*",?/g;

function stateOf(plain: string): string {
  return digest(plain.replace(linkEnding, ''));
}

function digest(text: string): string {
  return hash('sha256', text.replace(relativeTimes, ''), 'base64url').slice(0, 22);
}

/** A digest of a text that comes in chunks. */
export interface Digest {
  /** @param chunk whole members of JSON objects */
  update(chunk: string): void;
  finish(): string;
}

export function createDigest(): Digest {
  const whole = createHash('sha256');
  return {
    update: (chunk) => void whole.update(chunk.replace(relativeTimes, '')),
    finish: () => whole.digest('base64url').slice(0, 22),
  };
}
