import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** Whether a browser asks for a page: it prefers HTML, and the address is not one of the API. */
export function acceptsPage(request: FastifyRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (/^\/api(?:[/?]|$)/.test(request.url)) return false;
  return new Negotiator(request).mediaType(['application/json', 'text/html']) === 'text/html';
}
