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
  return sendHtml(reply.status(status), html, { 'form-action': ["'self'", ...formTargets].join(' ') });
}

interface ScriptPage {
  readonly html: string;
  /** Origins that the script may request, besides that of the page. */
  readonly connectTo: readonly string[];
  /** Directives of the content security policy that differ from those of other pages. */
  readonly policy?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Like `sendSecretPage`, for a page with a script of its own and without forms. */
export function sendScriptPage(
  reply: FastifyReply,
  { html, connectTo, policy, headers = {} }: ScriptPage,
): FastifyReply {
  const directives = {
    'script-src': "'self'",
    'connect-src': ["'self'", ...connectTo].join(' '),
    'form-action': "'none'",
    ...policy,
  };
  return sendHtml(reply, html, directives, headers);
}

/**
 * Sends a page with the headers of all pages.
 * @param policy directives of the content security policy besides those of all pages, or instead of these
 */
export function sendHtml(
  reply: FastifyReply,
  html: string,
  policy: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): FastifyReply {
  const directives = {
    'default-src': "'none'",
    'style-src': "'self'",
    'img-src': "'self' https: data: http:",
    'frame-ancestors': "'none'",
    'base-uri': "'none'",
    ...policy,
  };
  const isFramed = directives['frame-ancestors'] !== "'none'";
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .headers({
      'content-security-policy': Object.entries(directives)
        .map(([name, sources]) => `${name} ${sources}`)
        .join('; '),
      ...(isFramed ? {} : { 'x-frame-options': 'DENY' }),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
      'cache-control': 'no-store',
      ...headers,
    })
    .send(html);
}
