import type { Population } from '@foyer/contract/conventions/endpoint.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Dependencies } from '../../../dependencies.ts';
import { createOpaqueToken, hashToken, isOpaqueToken } from '../../../platform/crypto/opaque-token.ts';
import { SecretUnreadable } from '../../../platform/crypto/secret-box.ts';
import { findSessionOwner, insertSession, removeSession, type SessionOwner } from './authorization-store.ts';
import { requireStillProven } from '../sessions/check-credentials.ts';
import type { ProvenOwner } from '../store.ts';
import { secondsAfter } from '../tokens/tokens.ts';

/** How long one stays logged in on the page of consent. */
const sessionSeconds = 900;
const cookieName = 'foyer_authorize';
const prefix = 'fas';

/** A browser session on the consent page. The cookie holds its token. */
export interface PageVisit {
  readonly token: string;
  /** CSRF token, in every form of the page. */
  readonly formToken: string;
}

/** Continues the session in the cookie, or starts one. It is stored in the database only after sign-in. */
export function visitOf(request: FastifyRequest, reply: FastifyReply, path: string): PageVisit {
  const known = request.cookies[cookieName];
  const token = known !== undefined && isOpaqueToken(known, prefix) ? known : createOpaqueToken(prefix);
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

export async function loggedInOwner(
  { db, clock }: Dependencies,
  visit: PageVisit,
  population: Population,
): Promise<SessionOwner | null> {
  return await findSessionOwner(db, hashToken(visit.token), population, clock.now());
}

/**
 * Signs in, with a new session token against session fixation.
 * @throws as a refused sign-in, when the password was changed since it was checked
 */
export async function logIn(
  { db, clock }: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  owner: ProvenOwner,
): Promise<void> {
  const token = createOpaqueToken(prefix);
  const now = clock.now();
  await db.transaction().execute(async (tx) => {
    await requireStillProven(tx, owner);
    await insertSession(tx, hashToken(token), owner, secondsAfter(now, sessionSeconds), now);
  });
  reply.setCookie(cookieName, token, { ...cookieOptions(request, path), maxAge: sessionSeconds });
}

export async function logOut(
  { db }: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): Promise<void> {
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
  visit: PageVisit,
  step: FirstStep,
): Promise<string> {
  return await secretBox.seal(JSON.stringify({ ...step, until: clock.nowMs() + firstStepMs }), placeOf(visit));
}

/** Null when it is of another visit, or too old. */
export async function openFirstStep(
  { secretBox, clock }: Dependencies,
  visit: PageVisit,
  sealed: string,
): Promise<FirstStep | null> {
  try {
    const { until, ...step } = JSON.parse(await secretBox.open(sealed, placeOf(visit))) as FirstStep & {
      until: number;
    };
    return until > clock.nowMs() ? step : null;
  } catch (error) {
    if (error instanceof SecretUnreadable) return null;
    throw error;
  }
}

function placeOf({ formToken }: PageVisit): string {
  return `authorize:${formToken}`;
}

function formTokenOf(token: string): string {
  return createHash('sha256').update(`form of ${token}`).digest('base64url');
}

function cookieOptions(request: FastifyRequest, path: string) {
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(request.hostname);
  return { path, httpOnly: true, sameSite: 'lax' as const, secure: request.protocol === 'https' || !isLocal };
}
