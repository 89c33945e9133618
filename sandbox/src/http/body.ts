import { Busboy } from '@fastify/busboy';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { keepFirstValues } from './request.ts';

/** Leads to a response with status 413. */
export class BodyTooLarge extends Error {}

export async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > bodyLimit) throw new BodyTooLarge('The body is too large.');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

const bodyLimit = 32 * 1024 * 1024;

/** The media type in lower case without its parameters, or null if absent. */
export function mediaType(headers: IncomingHttpHeaders): string | null {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  return type ? type : null;
}

export function readForm(body: Buffer): Map<string, string> {
  return keepFirstValues(new URLSearchParams(body.toString('utf8')));
}

export interface UploadedFile {
  fileName: string;
  content: Buffer;
}

export interface MultipartForm {
  fields: Map<string, string>;
  files: Map<string, UploadedFile>;
}

/** Rejects if the form is malformed. */
export function readMultipart(contentType: string, body: Buffer): Promise<MultipartForm> {
  return new Promise((resolve, reject) => {
    const fields: [string, string][] = [];
    const files = new Map<string, UploadedFile>();
    const parser = Busboy({ headers: { 'content-type': contentType } });
    parser.on('field', (name, value) => fields.push([name, value]));
    parser.on('file', (name, file, fileName) => {
      const chunks: Buffer[] = [];
      file.on('data', (chunk: Buffer) => chunks.push(chunk));
      file.on('end', () => files.set(name, { fileName, content: Buffer.concat(chunks) }));
    });
    parser.on('error', reject);
    parser.on('finish', () => resolve({ fields: keepFirstValues(fields), files }));
    parser.end(body);
  });
}
