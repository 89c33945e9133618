import type { IncomingMessage } from 'node:http';
import type { Answer } from '../http/answer.ts';

/**
 * `maxHeaderSize` for the Node server, in bytes. It is above the limit of nginx, so that Node does not reject the request
 * first.
 */
export const maxHeaderBytes = 1024 * 1024;

/** nginx reads a request line into one buffer of `large_client_header_buffers`, whose default is `4 8k`. */
export const maxRequestLineBytes = 8 * 1024;

/** The response of the nginx in front of a Scalelite to a request line that is too long; null for other requests. */
export function refuseLongRequestLine({ method = 'GET', url = '/', httpVersion }: IncomingMessage): Answer | null {
  const length = Buffer.byteLength(`${method} ${url} HTTP/${httpVersion}\r\n`, 'latin1');
  if (length <= maxRequestLineBytes) return null;
  return { status: 414, headers: { 'content-type': 'text/html', connection: 'close' }, body: page };
}

const page = [
  '<html>',
  '<head><title>414 Request-URI Too Large</title></head>',
  '<body>',
  '<center><h1>414 Request-URI Too Large</h1></center>',
  '<hr><center>nginx</center>',
  '</body>',
  '</html>',
  '',
].join('\r\n');
