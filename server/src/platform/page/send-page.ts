import type { FastifyReply } from 'fastify';

/**
 * A page that nobody may frame. Its address may hold a secret, which nobody may keep or hear of.
 * @param formTargets the sources, besides our own, to which its forms may lead.
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
