import type { FastifyReply } from 'fastify';
import { type Result, value } from '../../../platform/http/input/call.ts';
import type { IssuedTokens } from './tokens.ts';

/** The answer of RFC 6749, 5.1, which must not be cached. */
export function printTokens(tokens: IssuedTokens, reply: FastifyReply): Result {
  forbidStoring(reply);
  return value({
    token_type: 'Bearer',
    expires_in: tokens.expiresIn,
    access_token: tokens.accessToken,
    refresh_token: tokens.refreshToken ?? undefined,
    scope: tokens.scopes.join(' '),
  });
}

export function forbidStoring(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
}
