import { XMLParser } from 'fast-xml-parser';
import { ProviderFailure } from '../provider-failure.ts';

export type Element = { readonly [name: string]: unknown };

const lists = new Set(['meeting', 'attendee', 'recording', 'format', 'image', 'breakout', 'error', 'hook']);

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  processEntities: true,
  htmlEntities: false,
  isArray: (name, path) => lists.has(name) && path !== 'response.meeting',
});

/**
 * The `<response>` of a call. Values stay text: a meeting may be called `007` or `true`.
 * @throws `malformed` when it is none, `checksum` or `refused` when the server said FAILED.
 */
export function readAnswer(providerId: string, body: string): Element {
  const response = parse(providerId, body);
  if (text(response, 'returncode') === 'SUCCESS') return response;
  const { key, message } = readError(response);
  const kind = key === 'checksumError' ? 'checksum' : 'refused';
  throw new ProviderFailure(
    kind,
    providerId,
    message === '' ? 'The provider refused without a reason.' : message.slice(0, 500),
    key,
  );
}

function parse(providerId: string, body: string): Element {
  // A document type is no part of the API, and the way in for entity bombs.
  if (/<!DOCTYPE|<!ENTITY/i.test(body)) throw malformed(providerId);
  let document: unknown;
  try {
    document = parser.parse(body, true);
  } catch {
    throw malformed(providerId);
  }
  const response = element(document as Element, 'response');
  if (!response || typeof response['returncode'] !== 'string') throw malformed(providerId);
  return response;
}

export function malformed(providerId: string): ProviderFailure {
  return new ProviderFailure(
    'malformed',
    providerId,
    'The provider answered with something that is not an answer of its API.',
  );
}

/** One error, a list of errors, or errors as attributes: servers of all ages. */
function readError(response: Element): { key: string; message: string } {
  const errors = element(response, 'errors');
  const listed = errors ? elements(errors, 'error')[0] : undefined;
  if (listed) {
    return {
      key: text(listed, 'key') ?? text(listed, '@key') ?? '',
      message: text(listed, 'message') ?? text(listed, '@message') ?? '',
    };
  }
  return { key: text(response, 'messageKey') ?? '', message: text(response, 'message') ?? '' };
}

export function text(parent: Element, name: string): string | null {
  const value = parent[name];
  return typeof value === 'string' ? value : null;
}

export function number(parent: Element, name: string): number {
  const value = Number(text(parent, name) ?? '');
  return Number.isFinite(value) ? value : 0;
}

export function isTrue(parent: Element, name: string): boolean {
  return text(parent, name)?.toLowerCase() === 'true';
}

export function element(parent: Element, name: string): Element | null {
  const value = parent[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Element) : null;
}

export function elements(parent: Element, name: string): Element[] {
  const value = parent[name];
  return Array.isArray(value) ? value.filter((item): item is Element => typeof item === 'object' && item !== null) : [];
}
