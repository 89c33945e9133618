import { createClient, FoyerError } from '@foyer/sdk';
import { watchedFetch } from './reachability.ts';

/** The session: not known yet, signed out, or with an access token. */
export type Session =
  | { readonly state: 'unknown' }
  | { readonly state: 'anonymous'; readonly reason: 'signed-out' | 'expired' | null }
  | {
      readonly state: 'present';
      readonly token: string;
      /** Whether the caller must set up a second factor first. */
      readonly mustEnroll: boolean;
    };

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** A code of the authenticator app, or a recovery code. */
  readonly otp?: string;
}

/**
 * The access token is kept only in memory. An HttpOnly cookie for paths below `/oauth` renews it, so sign-in and
 * renewal call the paths without `/api/v1`.
 */
const oauth = createClient({ baseUrl: window.location.origin, fetch: watchedFetch });
let session: Session = { state: 'unknown' };
let renewal: Promise<string | null> | null = null;
const listeners = new Set<() => void>();

export function currentSession(): Session {
  return session;
}

export function subscribeToSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function currentToken(): string | null {
  return session.state === 'present' ? session.token : null;
}

/** @returns an access token; `beginSession` starts to use it */
export async function signIn(credentials: Credentials): Promise<string> {
  const { access_token: token } = await oauth.loginAdmin({ body: credentials, atRoot: true });
  return token;
}

export function beginSession(token: string): void {
  rememberVisit(true);
  change({ state: 'present', token, mustEnroll: false });
}

/** @returns the message of the server, which is the same for every email */
export async function requestPasswordReset(email: string): Promise<string> {
  const { message } = await oauth.forgotAdminPassword({ body: { email } });
  return message;
}

/** Stores whether the server requires a second factor before other requests. */
export function requireEnrollment(mustEnroll: boolean): void {
  if (session.state === 'present' && session.mustEnroll !== mustEnroll) change({ ...session, mustEnroll });
}

/** Restores the session of the cookie, if there is one. */
export async function resumeSession(): Promise<void> {
  if (!wasSignedIn()) return change({ state: 'anonymous', reason: null });
  await renewToken().catch(() => null);
}

/** Renews the access token with the cookie. Concurrent calls share a request. Null, and signed out, if it is rejected. */
export function renewToken(): Promise<string | null> {
  renewal ??= requestToken().finally(() => {
    renewal = null;
  });
  return renewal;
}

export async function signOut(): Promise<void> {
  const token = currentToken();
  try {
    if (token !== null) {
      await createClient({ baseUrl: window.location.origin, token }).logout({ atRoot: true });
    }
  } finally {
    rememberVisit(false);
    change({ state: 'anonymous', reason: 'signed-out' });
  }
}

async function requestToken(): Promise<string | null> {
  try {
    const { access_token: token } = await oauth.refreshAdmin({ body: {}, atRoot: true });
    change({ state: 'present', token, mustEnroll: session.state === 'present' && session.mustEnroll });
    return token;
  } catch (error) {
    if (!isRefusal(error)) {
      // Only a refusal ends the session. Without an answer, the session is resumed once the server can be reached.
      if (error instanceof FoyerError && session.state === 'unknown') change({ state: 'anonymous', reason: null });
      throw error;
    }
    rememberVisit(false);
    change({ state: 'anonymous', reason: 'expired' });
    return null;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof FoyerError && [400, 401, 403, 422].includes(error.status);
}

function change(next: Session): void {
  session = next;
  for (const listener of listeners) listener();
}

/** Set while the user is signed in. Without this key, the page sends no renewal request. */
const visitKey = 'foyer.signed-in';

function rememberVisit(isSignedIn: boolean): void {
  if (isSignedIn) localStorage.setItem(visitKey, 'yes');
  else localStorage.removeItem(visitKey);
}

function wasSignedIn(): boolean {
  return localStorage.getItem(visitKey) !== null;
}
