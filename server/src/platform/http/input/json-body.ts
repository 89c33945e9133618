import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createScanner } from 'jsonc-parser';
import { isUtf8 } from 'node:buffer';
import { Failure } from '../../failures.ts';
import { nextTurn } from '../../limits/next-turn.ts';
import { formType, mustBeFile, mustBeJson } from '../input/parse-request.ts';

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const csvType = /^text\/csv\s*(?:;|$)/i;
const deepest = 64;
/** Values, names and punctuation: more than the largest batch of room tokens has. */
const maxTokens = 400_000;
/** Different member names: an object with tens of thousands of them is slow to parse. */
const maxNames = 10_000;
const largeBytes = 262_144;
/** JSON tokens that are looked at in one turn of the event loop. */
const tokensPerSlice = 50_000;

/**
 * Parses bodies: JSON, forms, and CSV where the endpoint accepts it. Duplicate member names are rejected. The key
 * `__proto__` is parsed as an ordinary member, so that it can be rejected.
 */
export function parseBodies(server: FastifyInstance): void {
  const parseJson = server.getDefaultJsonParser('ignore', 'ignore');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(jsonType, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    // Each step takes tens of milliseconds for a large body: other requests are handled between them.
    const step = body.length > largeBytes ? nextTurn : async () => {};
    await step();
    const text = textOf(request, body);
    if (text instanceof Failure) throw text;
    if (text === '') return undefined;
    await step();
    // Deeply nested bodies, or very many values or names, would block the process.
    const fault = await faultOfJson(text);
    if (fault) throw new Failure('malformed-json', fault);
    await step();
    return await new Promise((resolve, reject) => {
      void parseJson(request, text, (error, parsed) => {
        if (error) reject(new Failure('malformed-json', 'The body is not valid JSON.'));
        else resolve(parsed);
      });
    });
  });
  server.addContentTypeParser(formType, { parseAs: 'buffer' }, (request, body, done) => {
    const text = textOf(request, body as Buffer);
    if (text instanceof Failure) return done(text);
    const form = new URLSearchParams(text);
    const twice = request.routeOptions.config.endpoint?.oauth ? firstRepeated(form.keys()) : null;
    if (twice !== null) return done(new Failure('malformed-request', `The parameter ${quoted(twice)} is sent twice.`));
    form.delete('__proto__');
    done(null, Object.fromEntries(form));
  });
  server.addContentTypeParser(csvType, { parseAs: 'buffer' }, (request, body, done) => {
    const member = request.routeOptions.config.endpoint?.csvMember;
    if (member === undefined) return done(new Failure('unsupported-media-type', mustBeJson));
    const text = textOf(request, body as Buffer);
    if (text instanceof Failure) done(text);
    else done(null, { [member]: text });
  });
  parseFiles(server);
}

/** Any type that is not parsed otherwise: a file where the endpoint accepts this type. */
function parseFiles(server: FastifyInstance): void {
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    const types = request.routeOptions.config.endpoint?.file;
    const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    const fault = types ? mustBeFile(types) : mustBeJson;
    if (!types?.includes(type)) return done(new Failure('unsupported-media-type', fault));
    done(null, { type, bytes });
  });
}

function textOf(request: FastifyRequest, body: Buffer): string | Failure {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    return new Failure('unsupported-media-type', 'The body must not be compressed.');
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(charset))
    return new Failure('unsupported-media-type', 'The body must be in UTF-8.');
  if (!isUtf8(body)) return new Failure('malformed-json', 'The body is not valid UTF-8.');
  const text = body.toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

const token = { openBrace: 1, closeBrace: 2, openBracket: 3, closeBracket: 4, colon: 6, string: 10, end: 17 };

/** Scans the tokens without recursion. @returns a sentence about the fault, or null */
async function faultOfJson(text: string): Promise<string | null> {
  const scanner = createScanner(text, true);
  /** The names of each open object; null for a list. */
  const open: (Set<string> | null)[] = [];
  const different = new Set<string>();
  let name = '';
  for (let count = 0; ; count++) {
    const kind: number = scanner.scan();
    if (kind === token.end) return null;
    if (count === maxTokens) return 'The body has too many values.';
    if (count % tokensPerSlice === tokensPerSlice - 1) await nextTurn();
    if (kind === token.openBrace || kind === token.openBracket) {
      open.push(kind === token.openBrace ? new Set() : null);
      if (open.length > deepest) return `The body is nested more than ${deepest} levels deep.`;
    } else if (kind === token.closeBrace || kind === token.closeBracket) open.pop();
    else if (kind === token.string) name = scanner.getTokenValue();
    else if (kind === token.colon) {
      const names = open.at(-1);
      if (names?.has(name)) return `The member ${quoted(name)} is sent twice.`;
      names?.add(name);
      different.add(name);
      if (different.size > maxNames) return `The body has more than ${maxNames} different member names.`;
    }
  }
}

function firstRepeated(names: Iterable<string>): string | null {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return null;
}

function quoted(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}
