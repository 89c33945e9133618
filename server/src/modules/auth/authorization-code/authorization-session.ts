import type { Population } from '@foyer/contract/conventions/endpoint.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Dependencies } from '../../../dependencies.ts';
import { createOpaqueToken, hashToken, isOpaqueToken } from '../../../platform/crypto/opaque-token.ts';
import { SecretUnreadable } from '../../../platform/crypto/secret-box.ts';
import { cookieOptions } from '../../../platform/http/cookie-options.ts';
import { findSessionOwner, insertSession, removeSession, type SessionOwner } from './authorization-store.ts';
import { requireStillProven } from '../sessions/check-credentials.ts';
import type { ProvenOwner } from '../store.ts';
import { addSeconds } from '../tokens/tokens.ts';

/** Lifetime of a sign-in on the consent page. */
const sessionSeconds = 900;
const cookieName = 'foyer_authorize';
const prefix = 'fas';

export interface PageRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The path that the cookie is set for. */
  readonly path: string;
}

/** A browser session on the consent page. The cookie holds its token. */
export interface PageSession {
  readonly token: string;
  /** CSRF token, in every form of the page. */
  readonly formToken: string;
}

/** Continues the session in the cookie, or starts one. The database stores a session only after sign-in. */
export function openPageSession({ request, reply, path }: PageRequest): PageSession {
  const cookie = request.cookies[cookieName];
  const token = cookie !== undefined && isOpaqueToken(cookie, prefix) ? cookie : createOpaqueToken(prefix);
  reply.setCookie(cookieName, token, { ...cookieOptions(request, path), maxAge: sessionSeconds });
  return { token, formToken: formTokenOf(token) };
}

/** CSRF check: whether the form was sent from a page of this session. */
export function isOwnForm(request: FastifyRequest, formToken: string | undefined): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const token = request.cookies[cookieName];
  if (token === undefined || formToken === undefined || !isOpaqueToken(token, prefix)) return false;
  return timingSafeEqual(hashToken(formToken), hashToken(formTokenOf(token)));
}

export async function findLoggedInOwner(
  { db, clock }: Dependencies,
  session: PageSession,
  population: Population,
): Promise<SessionOwner | null> {
  return await findSessionOwner(db, hashToken(session.token), population, clock.now());
}

/**
 * Signs in, with a new session token against session fixation.
 * @throws 422 `wrong-credentials` if the password was changed since it was checked
 */
export async function logIn(
  { db, clock }: Dependencies,
  { request, reply, path }: PageRequest,
  owner: ProvenOwner,
): Promise<void> {
  const token = createOpaqueToken(prefix);
  const now = clock.now();
  await db.transaction().execute(async (tx) => {
    await requireStillProven(tx, owner);
    await insertSession(tx, hashToken(token), owner, { expiresAt: addSeconds(now, sessionSeconds), now });
  });
  reply.setCookie(cookieName, token, { ...cookieOptions(request, path), maxAge: sessionSeconds });
}

export async function logOut({ db }: Dependencies, { request, reply, path }: PageRequest): Promise<void> {
  const token = request.cookies[cookieName];
  if (token !== undefined) await removeSession(db, hashToken(token));
  reply.clearCookie(cookieName, cookieOptions(request, path));
}

/** Name and password, kept until the second factor is entered: encrypted, in a hidden form field. */
export interface FirstStep {
  readonly name: string;
  readonly password: string;
}

const firstStepMs = 300_000;

export async function sealFirstStep(
  { secretBox, clock }: Dependencies,
  session: PageSession,
  step: FirstStep,
): Promise<string> {
  return await secretBox.seal(
    JSON.stringify({ ...step, until: clock.nowMs() + firstStepMs }),
    associatedDataOf(session),
  );
}

/** Returns null if the sealed step belongs to another session or has expired. */
export async function openFirstStep(
  { secretBox, clock }: Dependencies,
  session: PageSession,
  sealed: string,
): Promise<FirstStep | null> {
  try {
    const { until, ...step } = JSON.parse(await secretBox.open(sealed, associatedDataOf(session))) as FirstStep & {
      until: number;
    };
    return until > clock.nowMs() ? step : null;
  } catch (error) {
    if (error instanceof SecretUnreadable) return null;
    throw error;
  }
}

function associatedDataOf({ formToken }: PageSession): string {
  return `authorize:${formToken}`;
}

function formTokenOf(token: string): string {
  return createHash('sha256').update(`form of ${token}`).digest('base64url');
}
