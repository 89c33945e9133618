import { createHash } from 'node:crypto';
import { XMLParser } from 'fast-xml-parser';

/** Calls a sandbox like a correct client: strict encoding, then a checksum over exactly the sent bytes. */
export interface Caller {
  url(call: string, parameters?: Record<string, string>, algorithm?: string): string;
  call(call: string, parameters?: Record<string, string>): Promise<ApiAnswer>;
}

export interface ApiAnswer {
  returncode: string;
  messageKey: string;
  message: string;
  /** All elements below the response, with values as text. */
  elements: Record<string, unknown>;
  xml: string;
}

export function createCaller({ apiUrl, secret }: { apiUrl: string; secret: string }): Caller {
  function url(call: string, parameters: Record<string, string> = {}, algorithm = 'sha256') {
    return `${apiUrl}/${call}?${sign(call, encode(parameters), secret, algorithm)}`;
  }
  return {
    url,
    async call(call, parameters) {
      const response = await fetch(url(call, parameters), { redirect: 'manual' });
      return readAnswer(await response.text());
    },
  };
}

export function encode(parameters: Record<string, string>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
    .join('&');
}

export function checksum(call: string, query: string, secret: string, algorithm = 'sha256'): string {
  return createHash(algorithm).update(`${call}${query}${secret}`).digest('hex');
}

export function sign(call: string, query: string, secret: string, algorithm?: string): string {
  const signature = `checksum=${checksum(call, query, secret, algorithm)}`;
  return query === '' ? signature : `${query}&${signature}`;
}

export function readAnswer(xml: string): ApiAnswer {
  const elements = readElements(xml);
  return {
    returncode: textOf(elements['returncode']),
    messageKey: textOf(elements['messageKey']),
    message: textOf(elements['message']),
    elements,
    xml,
  };
}

/** The names of the elements directly below the response, in their order. */
export function elementOrder(xml: string): string[] {
  return Object.keys(readElements(xml));
}

function readElements(xml: string): Record<string, unknown> {
  const root = parser.parse(xml) as { response?: Record<string, unknown> };
  if (!root.response) throw new Error(`No response element in: ${xml.slice(0, 200)}`);
  return root.response;
}

const lists = new Set([
  'response.meetings.meeting',
  'response.sessions.meeting',
  'response.attendees.attendee',
  'response.recordings.recording',
  'response.recordings.recording.playback.format',
  'response.breakoutRooms.breakout',
]);

const parser = new XMLParser({
  parseTagValue: false,
  isArray: (_name, path) => lists.has(String(path)),
});

function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
