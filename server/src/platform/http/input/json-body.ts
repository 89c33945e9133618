import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import { Failure } from '../../failures.ts';
import { nextTurn } from '../../limits/next-turn.ts';
import { faultOfJson, quoted } from './json-faults.ts';
import { formType, mustBeFile, mustBeJson } from '../input/parse-request.ts';

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const csvType = /^text\/csv\s*(?:;|$)/i;
const largeBytes = 262_144;
/** More than any form has. Parsing tens of thousands of fields takes seconds. */
const maxFormFields = 1000;

/**
 * Parses bodies: JSON, forms, and CSV where the endpoint accepts it. Duplicate member names are rejected. The key
 * `__proto__` is parsed as an ordinary member, so that it can be rejected.
 */
export function parseBodies(server: FastifyInstance): void {
  const parseJson = server.getDefaultJsonParser('ignore', 'ignore');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(jsonType, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    // Each step takes tens of milliseconds for a large body: other requests are handled in between.
    const pause = body.length > largeBytes ? nextTurn : async () => {};
    await pause();
    const text = decodeText(request, body);
    if (text instanceof Failure) throw text;
    if (text === '') return undefined;
    await pause();
    // Deeply nested bodies, or very many values or names, would block the process.
    const fault = await faultOfJson(text);
    if (fault) throw new Failure('malformed-json', fault);
    await pause();
    return await new Promise((resolve, reject) => {
      void parseJson(request, text, (error, parsed) => {
        if (error) reject(new Failure('malformed-json', 'The body is not valid JSON.'));
        else resolve(parsed);
      });
    });
  });
  server.addContentTypeParser(formType, { parseAs: 'buffer' }, (request, body, done) => {
    const text = decodeText(request, body as Buffer);
    if (text instanceof Failure) return done(text);
    if (text.split('&', maxFormFields + 1).length > maxFormFields)
      return done(new Failure('malformed-request', `The form has more than ${maxFormFields} fields.`));
    const form = new URLSearchParams(text);
    const repeatedName = request.routeOptions.config.endpoint?.oauth ? firstRepeated(form.keys()) : null;
    if (repeatedName !== null)
      return done(new Failure('malformed-request', `The parameter ${quoted(repeatedName)} is sent twice.`));
    form.delete('__proto__');
    done(null, Object.fromEntries(form));
  });
  server.addContentTypeParser(csvType, { parseAs: 'buffer' }, (request, body, done) => {
    const member = request.routeOptions.config.endpoint?.csvMember;
    if (member === undefined) return done(new Failure('unsupported-media-type', mustBeJson));
    const text = decodeText(request, body as Buffer);
    if (text instanceof Failure) done(text);
    else done(null, { [member]: text });
  });
  parseFiles(server);
}

/** Accepts all other content types as files, at endpoints that declare the type. */
function parseFiles(server: FastifyInstance): void {
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    const types = request.routeOptions.config.endpoint?.file;
    const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    const fault = types ? mustBeFile(types) : mustBeJson;
    if (!types?.includes(type)) return done(new Failure('unsupported-media-type', fault));
    done(null, { type, bytes });
  });
}

function decodeText(request: FastifyRequest, body: Buffer): string | Failure {
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

function firstRepeated(names: Iterable<string>): string | null {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return null;
}
