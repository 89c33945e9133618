import type { FastifyReply } from 'fastify';

/**
 * Sends a page that may not be framed. Its address may contain a secret, so it is neither cached nor sent as a
 * referrer.
 * @param formTargets further origins that its forms may lead to
 */
export function sendSecretPage(
  reply: FastifyReply,
  status: number,
  html: string,
  formTargets: readonly string[] = [],
): FastifyReply {
  return reply
    .status(status)
    .header('content-type', 'text/html; charset=utf-8')
    .headers({
      'content-security-policy': policy(formTargets),
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
      'cache-control': 'no-store',
    })
    .send(html);
}

function policy(formTargets: readonly string[]): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' https: data: http:",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}
