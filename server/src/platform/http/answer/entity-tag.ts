import { createHash, hash } from 'node:crypto';
import { linkEnding } from '../../crypto/signed-link.ts';

/**
 * The strong entity tag of an answer: a digest of the resource, whichever parts were requested, and, if the answer is
 * not just the resource, a digest of the answer. A write compares the first part only, so that a tag from a read with
 * includes works; a read compares both. Sentences of relative time change by themselves and are left out. The
 * signatures of links, and observed members, are left out of the first part only: a cached answer with expired links
 * or an old count must be read again.
 */
export function entityTag(plain: string, body: string): string {
  const state = stateOf(plain);
  return body === plain && body.search(linkEnding) < 0 ? `"${state}"` : `"${state}.${digest(body)}"`;
}

/** The tag of an answer that is too long for memory, from the digest of its chunks. */
export function entityTagOfChunks(plain: string, bodyDigest: Digest): string {
  return `"${stateOf(plain)}.${bodyDigest.finish()}"`;
}

/** The content codings in which answers are sent. */
export type Coding = 'br' | 'gzip';

/**
 * The tag of an answer in a content coding. A strong tag identifies the bytes that are sent, so each coding has its
 * own.
 */
export function withCoding(etag: string, coding: Coding): string {
  return etag.replace(/"$/, `~${coding}"`);
}

/**
 * The tag in `If-None-Match` that matches the answer, in any coding, also if a proxy has weakened it; null if none
 * does.
 * @param coding in which the answer would be sent
 */
export function matchEntityTag(field: string | undefined, etag: string, coding: Coding | null): string | null {
  if (field === undefined) return null;
  if (field.trim() === '*') return etag;
  const matches = [...field.matchAll(/"[^"]*"/g)].map(([tag]) => tag).filter((tag) => withoutCoding(tag) === etag);
  return matches.find((tag) => coding !== null && tag === withCoding(etag, coding)) ?? matches[0] ?? null;
}

/** Whether `If-Match` of a write names the current state of the resource, in whichever form it was read. */
export function matchesState(field: string, plain: string): boolean {
  if (field.trim() === '*') return true;
  const state = stateOf(plain);
  return tagsOf(field).some((tag) => tag === `"${state}"` || tag.startsWith(`"${state}.`));
}

/** Weak tags do not match a state. */
function tagsOf(field: string): string[] {
  return [...field.matchAll(/(W\/)?("[^"]*")/g)].flatMap(([, weak, tag = '']) => (weak ? [] : [withoutCoding(tag)]));
}

function withoutCoding(tag: string): string {
  return tag.replace(/~(?:br|gzip)"$/, '"');
}

const relativeTimes = /"readable_(?:created|updated)_at":"[^"]*",?/g;

function stateOf(plain: string): string {
  return digest(plain.replace(linkEnding, '').replace(imageToken, ''));
}

/** The signed part of a picture's address, which changes every hour. */
const imageToken = /\/play\/[\w-]+\.[\w-]{43}(?=\/videos\/)/g;

function digest(text: string): string {
  return hash('sha256', text.replace(relativeTimes, ''), 'base64url').slice(0, 22);
}

/** Computes the digest of a text in chunks. */
export interface Digest {
  /** @param chunk whole members of JSON objects */
  update(chunk: string): void;
  finish(): string;
}

export function createDigest(): Digest {
  const sha256 = createHash('sha256');
  return {
    update: (chunk) => void sha256.update(chunk.replace(relativeTimes, '')),
    finish: () => sha256.digest('base64url').slice(0, 22),
  };
}
