import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../../dependencies.ts';
import { sendHtml } from '../../../platform/page/send-page.ts';
import { sessionServiceOf } from '../../../providers/provider-type.ts';
import type { ChosenProvider } from '../../service-providers/index.ts';

export interface PagePolicy {
  /** Other origins to which a join can redirect. */
  readonly formTargets: readonly string[];
  /** Other origins whose pages can embed this one. */
  readonly frameOrigins: readonly string[];
}

export function sendPage(
  reply: FastifyReply,
  status: number,
  html: string,
  { formTargets, frameOrigins }: PagePolicy = { formTargets: [], frameOrigins: [] },
): FastifyReply {
  const policy = {
    'form-action': ["'self'", ...formTargets].join(' '),
    'script-src': "'self'",
    'connect-src': "'self'",
    'frame-ancestors': ["'self'", ...frameOrigins].join(' '),
  };
  return sendHtml(reply.status(status), html, policy, securityHeaders);
}

/** Redirects may contain tokens, so they are not cached. */
export function redirect(reply: FastifyReply, status: 302 | 303, address: string): FastifyReply {
  return reply.headers(securityHeaders).redirect(address, status);
}

/** Browsers apply `form-action` to every redirect after a form, so the CSP names the meeting servers. */
export function formTargetsOf(
  { providers: registry }: Pick<Dependencies, 'providers'>,
  providers: readonly ChosenProvider[],
): string[] {
  const targets = providers.flatMap(
    ({ provider_type: type, properties }) => sessionServiceOf(registry.type(type))?.joinTargets(properties) ?? [],
  );
  return [...new Set(targets)];
}

/** Whether another site's page sent the form. */
export function isCrossSite(request: FastifyRequest, publicUrl: string): boolean {
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return (
    origin !== undefined && origin !== `${request.protocol}://${request.host}` && origin !== new URL(publicUrl).origin
  );
}

// The address contains the token. `no-referrer` would hide it as well, but then browsers would send our own forms with a
// null origin, like forms of another site.
export const securityHeaders = {
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  // A site that opens the room in a window may keep a reference to it.
  'cross-origin-opener-policy': 'unsafe-none',
  'x-robots-tag': 'noindex, nofollow',
  'cache-control': 'no-store',
  // The page lists the devices. The page of the meeting server asks for access to them.
  'permissions-policy': 'camera=(self), microphone=(self), display-capture=(), geolocation=(), payment=(), usb=()',
};
