import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../../dependencies.ts';
import { printUlid, type Uuid } from '../../../platform/identity/identifier.ts';
import { cookieOptions } from '../../../platform/http/cookie-options.ts';
import { SecretUnreadable } from '../../../platform/crypto/secret-box.ts';
import { roomPageSessionSeconds } from '../../auth/index.ts';

/** The input of a visitor who waits for the start of the meeting. */
export interface WaitingVisitor {
  readonly name: string;
  readonly accessCode: string | null;
}

export interface RoomCookie {
  /** The room's path, without its slug. */
  readonly path: string;
  readonly roomId: Uuid;
}

const nameCookie = 'foyer_name';
const languageCookie = 'foyer_language';
const signInCookie = 'foyer_room_user';
const yearSeconds = 365 * 86_400;
const maxWaitSeconds = 4 * 3600;

export function readName(request: FastifyRequest): string {
  return request.cookies[nameCookie] ?? '';
}

/** `path` is the path of the rooms. */
export function rememberName(request: FastifyRequest, reply: FastifyReply, path: string, name: string): void {
  reply.setCookie(nameCookie, name, { ...options(request, path), maxAge: yearSeconds });
}

export function readLanguage(request: FastifyRequest): string | undefined {
  return request.cookies[languageCookie];
}

/** `path` is the path of the rooms. */
export function rememberLanguage(request: FastifyRequest, reply: FastifyReply, path: string, language: string): void {
  reply.setCookie(languageCookie, language, { ...options(request, path), maxAge: yearSeconds });
}

export function readSignIn(request: FastifyRequest): string | null {
  return request.cookies[signInCookie] ?? null;
}

/** @param path the path of all rooms, so that one sign-in is valid for all rooms */
export function rememberSignIn(request: FastifyRequest, reply: FastifyReply, path: string, token: string): void {
  reply.setCookie(signInCookie, token, { ...options(request, path), maxAge: roomPageSessionSeconds });
}

export function forgetSignIn(request: FastifyRequest, reply: FastifyReply, path: string): void {
  reply.clearCookie(signInCookie, options(request, path));
}

export function readRememberedToken(request: FastifyRequest, roomId: Uuid): string | null {
  return request.cookies[tokenCookie(roomId)] ?? null;
}

/**
 * Remembers the token with which the visitor joined. A guest's new token exists only in this cookie, so it is kept for a
 * year. A token from the visitor's link is kept until the browser closes.
 */
export function rememberToken(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { path, roomId }: RoomCookie,
  token: string,
  { isNew }: { readonly isNew: boolean },
): void {
  const lifetime = isNew ? { maxAge: yearSeconds } : {};
  reply.setCookie(tokenCookie(roomId), token, { ...options(request, path), ...lifetime });
}

export function forgetToken(request: FastifyRequest, reply: FastifyReply, path: string, roomId: Uuid): void {
  reply.clearCookie(tokenCookie(roomId), options(request, path));
}

/** Null when the visitor is not waiting, or has waited for too long. */
export async function readWaiting(
  { secretBox, clock }: Dependencies,
  request: FastifyRequest,
  roomId: Uuid,
): Promise<WaitingVisitor | null> {
  const sealed = request.cookies[waitingCookie(roomId)];
  if (!sealed) return null;
  try {
    const { until, ...visitor } = JSON.parse(await secretBox.open(sealed, waitingAssociatedData(roomId))) as Sealed;
    return until > clock.nowMs() ? visitor : null;
  } catch (error) {
    if (error instanceof SecretUnreadable) return null;
    throw error;
  }
}

export async function rememberWaiting(
  { secretBox, clock }: Dependencies,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { path, roomId }: RoomCookie,
  visitor: WaitingVisitor,
): Promise<void> {
  const sealed: Sealed = { ...visitor, until: clock.nowMs() + maxWaitSeconds * 1000 };
  reply.setCookie(waitingCookie(roomId), await secretBox.seal(JSON.stringify(sealed), waitingAssociatedData(roomId)), {
    ...options(request, path),
    maxAge: maxWaitSeconds,
  });
}

export function forgetWaiting(request: FastifyRequest, reply: FastifyReply, path: string, roomId: Uuid): void {
  if (request.cookies[waitingCookie(roomId)]) reply.clearCookie(waitingCookie(roomId), options(request, path));
}

type Sealed = WaitingVisitor & { readonly until: number };

function tokenCookie(roomId: Uuid): string {
  return `foyer_guest_${printUlid(roomId)}`;
}

function waitingCookie(roomId: Uuid): string {
  return `foyer_waiting_${printUlid(roomId)}`;
}

function waitingAssociatedData(roomId: Uuid): string {
  return `rooms:${roomId}:waiting`;
}

/** In an iframe of another site browsers keep only partitioned cookies. */
function options(request: FastifyRequest, path: string) {
  const isFramed = request.headers['sec-fetch-dest'] === 'iframe';
  return isFramed
    ? { path, httpOnly: true, sameSite: 'none' as const, secure: true, partitioned: true }
    : cookieOptions(request, path);
}
