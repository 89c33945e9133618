import type { Json } from './connection.ts';

/** Reads members of an answer; missing ones and those of another type are null or empty. */
export function textOf(json: Json, name: string): string | null {
  const value = json[name];
  // PostgreSQL cannot store NUL characters.
  return typeof value === 'string' ? value.replaceAll('\0', '').slice(0, 1000) : null;
}

/** A word such as `connection-refused`; null for anything else. */
export function codeOf(json: Json, name: string): string | null {
  const value = json[name];
  return typeof value === 'string' && /^[a-z0-9-]{1,100}$/.test(value) ? value : null;
}

export function numberOf(json: Json, name: string): number | null {
  const value = json[name];
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER
    ? value
    : null;
}

export function wholeOf(json: Json, name: string): number {
  return Math.max(0, Math.round(numberOf(json, name) ?? 0));
}

export function objectOf(json: Json, name: string): Json | null {
  const value = json[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
}

export function listIn(json: Json, name: string): readonly Json[] {
  const value = json[name];
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is Json => typeof item === 'object' && item !== null && !Array.isArray(item));
}

/** @param fallback for any other word */
export function wordOf<const Word extends string>(
  json: Json,
  name: string,
  words: readonly Word[],
  fallback: Word,
): Word {
  return words.find((word) => word === json[name]) ?? fallback;
}
