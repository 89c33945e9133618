import type { ServerResponse } from 'node:http';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export function send(response: ServerResponse, answer: Answer): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
  response.end(body);
}

/** Announces the whole length, sends half and breaks the connection. */
export function sendHalf(response: ServerResponse, answer: Answer): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.socket?.destroy());
}

/** Sends a byte every tenth of a second until the client disconnects. */
export function sendByteByByte(response: ServerResponse, answer: Answer): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
  let sentBytes = 0;
  const timer = setInterval(() => {
    if (response.destroyed || sentBytes >= body.length) clearInterval(timer);
    else response.write(body.subarray(sentBytes, ++sentBytes));
  }, 100).unref();
}

export function plainText(status: number, text: string): Answer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: `${text}\n` };
}

export function json(status: number, value: unknown): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    body: JSON.stringify(value),
  };
}

export function redirect(status: 302 | 303, location: string): Answer {
  return { status, headers: { location, 'cache-control': 'no-store' }, body: '' };
}
