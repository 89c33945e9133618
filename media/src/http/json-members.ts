import { invalid } from './answer.ts';

type Json = Readonly<Record<string, unknown>>;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** @throws Refusal 422 for anything but a UUID, since ids become directory names */
export function requireUuid(value: unknown, name: string): string {
  if (typeof value === 'string' && uuidPattern.test(value)) return value;
  throw invalid(`${name} must be a UUID.`);
}

export function requireText(json: Json, name: string, maximum = 2048): string {
  const value = json[name];
  if (typeof value === 'string' && value !== '' && value.length <= maximum) return value;
  throw invalid(`${name} must be a text of at most ${maximum} characters.`);
}

export function requireWhole(json: Json, name: string): number {
  const value = readWholeOrNull(json, name);
  if (value === null) throw invalid(`${name} must be a whole number.`);
  return value;
}

export function readWholeOrNull(json: Json, name: string): number | null {
  const value = json[name] ?? null;
  if (value === null) return null;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalid(`${name} must be a whole number.`);
}

export function requireWord<const Word extends string>(json: Json, name: string, words: readonly Word[]): Word {
  const match = words.find((word) => word === json[name]);
  if (match === undefined) throw invalid(`${name} must be one of: ${words.join(', ')}.`);
  return match;
}

/** Reads the address at which the platform receives callbacks. @throws Refusal 422 */
export function requireCallback(json: Json): string {
  const url = requireText(json, 'callback_url');
  if (!/^https?:\/\/[^/]/.test(url)) throw invalid('callback_url must be an http address.');
  return url;
}
