import type { FastifyReply } from 'fastify';

/** A page whose form leads nowhere but to us. Its address may hold a secret, which nobody may keep or hear of. */
export function sendSecretPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply
    .status(status)
    .header('content-type', 'text/html; charset=utf-8')
    .headers({
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
      'cache-control': 'no-store',
    })
    .send(html);
}

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' https: data: http:",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');
