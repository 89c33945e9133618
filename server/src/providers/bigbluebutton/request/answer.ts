import { ProviderFailure } from '../../provider-failure.ts';
import { rejectionFailure } from '../../http/http-failure.ts';
import type { HttpAnswer } from '../../http/transport.ts';
import { type Element, type ItemReader, parseXml, XmlFault } from './xml.ts';

export type { Element };

/** The provider that answered. Its secret is removed from messages. */
export interface Answerer {
  readonly providerId: string;
  readonly secret: string;
}

/**
 * The `<response>` of a call. Values stay text: a meeting may be called `007` or `true`.
 * @throws `malformed` if it is not a response, `checksum` or `refused` if the server answered FAILED
 */
export async function readAnswer(
  answerer: Answerer,
  answer: HttpAnswer,
  items: ItemReader | null = null,
): Promise<Element> {
  const response = await parse(answerer.providerId, answer, items);
  const code = text(response, 'returncode');
  if (code === 'SUCCESS') return response;
  if (code !== 'FAILED') throw unreadable(answerer.providerId, answer);
  const { key, message } = readError(response);
  if (key === 'checksumError')
    throw new ProviderFailure('checksum', answerer.providerId, wrongSecret, { messageKey: key });
  throw new ProviderFailure(
    'refused',
    answerer.providerId,
    message === '' ? 'The provider refused without a reason.' : redact(message, answerer.secret).slice(0, 500),
    { messageKey: redact(key, answerer.secret).slice(0, 100) },
  );
}

/** Servers give the same answer to a wrong secret and to an unsupported algorithm. */
export const wrongSecret =
  'Wrong shared secret. Copy it again from `bbb-conf --secret`, for Scalelite from its LOADBALANCER_SECRET. If it is right, choose another checksum algorithm.';

async function parse(providerId: string, answer: HttpAnswer, items: ItemReader | null): Promise<Element> {
  try {
    const response = element(await parseXml(answer.text, items), 'response');
    if (response) return response;
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error;
  }
  throw unreadable(providerId, answer);
}

export function malformed(providerId: string): ProviderFailure {
  return new ProviderFailure(
    'malformed',
    providerId,
    `The server did not return an answer of the BigBlueButton API. ${addressAdvice}`,
  );
}

/** The failure for an answer that cannot be parsed. */
export function unreadable(providerId: string, { status, text: body }: Pick<HttpAnswer, 'status' | 'text'>) {
  if (status >= 400) return rejectionFailure(providerId, status, addressAdvice);
  if (!/^\s*(?:<!doctype html|<html)/i.test(body)) return malformed(providerId);
  const message = `The server returned a web page (HTML) instead of an answer of the BigBlueButton API. ${addressAdvice}`;
  return new ProviderFailure('malformed', providerId, message);
}

export const addressAdvice = 'Check the address: the API is usually below /bigbluebutton/api.';

/** One error, a list of errors, or errors as attributes, depending on the version of the server. */
function readError(response: Element): { key: string; message: string } {
  const errors = element(response, 'errors');
  const firstError = errors ? elements(errors, 'error')[0] : undefined;
  if (firstError) {
    return {
      key: text(firstError, 'key') ?? text(firstError, '@key') ?? '',
      message: text(firstError, 'message') ?? text(firstError, '@message') ?? '',
    };
  }
  return { key: text(response, 'messageKey') ?? '', message: text(response, 'message') ?? '' };
}

/** A server may echo the request, or the checksum that it expected. */
function redact(text: string, secret: string): string {
  return text
    .replaceAll(secret, '…')
    .replaceAll(/\b[0-9a-f]{40,}\b/gi, '…')
    .replaceAll(/\S*(?:checksum=|:\/\/)\S*/gi, '…');
}

export function text(parent: Element, name: string): string | null {
  const value = parent[name];
  return typeof value === 'string' ? withoutNullCharacters(value) : null;
}

/** Removes characters that PostgreSQL cannot store. */
function withoutNullCharacters(value: string): string {
  return value.toWellFormed().replaceAll('\0', '');
}

/** An id or a name; null if it is too long. */
export function identifier(parent: Element, name: string): string | null {
  const value = text(parent, name);
  return value !== null && value !== '' && value.length <= maxIdentifierLength ? value : null;
}

const maxIdentifierLength = 256;

/** Null if it is not a whole number of at least 0. */
export function wholeNumber(parent: Element, name: string): number | null {
  const value = text(parent, name) ?? '';
  return /^\d{1,15}$/.test(value) ? Number(value) : null;
}

/** A number of people; null if it is above 100,000. */
export function headcount(parent: Element, name: string): number | null {
  const count = wholeNumber(parent, name);
  return count !== null && count <= maxPeople ? count : null;
}

const maxPeople = 100_000;

/** Milliseconds since 1970; null if absent or beyond this century. */
export function moment(parent: Element, name: string): number | null {
  const ms = wholeNumber(parent, name);
  return ms !== null && ms > 0 && ms < Date.UTC(2100) ? ms : null;
}

export function isTrue(parent: Element, name: string): boolean {
  return text(parent, name)?.toLowerCase() === 'true';
}

export function element(parent: Element, name: string): Element | null {
  const value = parent[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Element) : null;
}

/** All elements of the name: none, one or several. */
export function elements(parent: Element, name: string): Element[] {
  const value = parent[name];
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.filter((item): item is Element => typeof item === 'object' && item !== null);
}

/** The children that contain only text, by name. */
export function texts(parent: Element, name: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(element(parent, name) ?? {}).flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, withoutNullCharacters(value)] as const] : [],
    ),
  );
}
