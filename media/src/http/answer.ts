import type { IncomingMessage, ServerResponse } from 'node:http';

/** A refusal of the API: `{error: {code, message}}`. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
  }
}

export function notFound(subject: string): Refusal {
  return new Refusal(404, 'not-found', `${subject} was not found.`);
}

export function invalid(message: string): Refusal {
  return new Refusal(422, 'invalid', message);
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
    })
    .end(body);
}

export function sendEmpty(response: ServerResponse, status = 204): void {
  response.writeHead(status, { 'cache-control': 'no-store' }).end();
}

export function sendRefusal(response: ServerResponse, { status, code, message }: Refusal): void {
  if (response.headersSent) response.destroy();
  else sendJson(response, status, { error: { code, message } });
}

/** @throws Refusal 413 */
export async function readBody(request: IncomingMessage, maximumBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maximumBytes) throw new Refusal(413, 'too-large', `At most ${maximumBytes} bytes are accepted.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
