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
