import type { FastifyRequest } from 'fastify';

/** The texts of a form that a page sent. */
export function formFieldsOf({ body }: Pick<FastifyRequest, 'body'>): Partial<Record<string, string>> {
  if (typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(Object.entries(body).filter(([, entry]) => typeof entry === 'string'));
}
