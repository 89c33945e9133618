import type { TokenKind } from '@foyer/contract/resources/auth/oauth-token.ts';
import { inTransaction, type Change, type ChangeServices } from '../../../events/change.ts';
import type { EventInput } from '../../../events/event-data.ts';
import { eventAbout, rowEvent } from '../../../events/row-event.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import { newUuid, printIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';
import { createOpaqueToken, hashToken } from '../../../platform/crypto/opaque-token.ts';
import type { OauthClientRow } from '../clients/client-store.ts';
import { intersectScopes } from './scopes.ts';
import {
  findOwnerName,
  insertAccessToken,
  insertFamily,
  insertTokenPair,
  lockRefreshToken,
  markRotated,
  type Owner,
  extendFamily,
  type RefreshTokenRow,
  revokeFamily,
  type TokenFamilyRow,
  type TokenHash,
} from '../store.ts';

export interface IssuedTokens {
  readonly accessToken: string;
  /** Null if the client may not use refresh tokens. */
  readonly refreshToken: string | null;
  /** The lifetime of the access token, in seconds. */
  readonly expiresIn: number;
  readonly scopes: readonly string[];
}

/** The grant, owner, client and scopes of new tokens. A sign-in starts a session instead. */
export interface Grant {
  readonly kind: Extract<TokenKind, 'authorization' | 'client'>;
  readonly client: Pick<OauthClientRow, 'id' | 'name' | 'population' | 'grants'>;
  /** Null for a client that acts for itself. */
  readonly owner: Owner | null;
  readonly scopes: readonly string[];
  /** The address of the person who consented. */
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** Issues tokens to a client that acts for itself. */
export async function issueClientTokens(
  services: ChangeServices,
  actor: Actor,
  { client, scopes, userAgent }: Pick<Grant, 'client' | 'scopes' | 'userAgent'>,
): Promise<IssuedTokens> {
  const grant: Grant = { kind: 'client', client, owner: null, scopes, address: actor.address, userAgent };
  return await inTransaction(services, ownerAsActor(actor, grant), async (change) => {
    const { tokens } = await beginFamily(services, change, grant);
    return tokens;
  });
}

/** The owner of the tokens is the actor in the audit log. */
export function ownerAsActor(actor: Actor, { client, owner }: Pick<Grant, 'client' | 'owner'>): Actor {
  const usedClient = { clientId: client.id, clientName: client.name };
  if (owner === null) return { ...actor, ...usedClient, type: 'client', id: client.id, name: client.name };
  return {
    ...actor,
    ...usedClient,
    type: owner.population === 'admins' ? 'admin' : 'user',
    id: owner.id,
    name: owner.name,
  };
}

export async function beginFamily(
  services: ChangeServices,
  change: Change,
  grant: Grant,
): Promise<{ family: TokenFamilyRow; tokens: IssuedTokens }> {
  const { kind, client, owner, scopes } = grant;
  const isRenewable = owner !== null && client.grants.includes('refresh_token');
  const settings = services.settings();
  const family = await insertFamily(change.tx, {
    id: newUuid(),
    client_id: client.id,
    population: client.population,
    admin_id: owner?.population === 'admins' ? owner.id : null,
    user_id: owner?.population === 'users' ? owner.id : null,
    kind,
    scopes: [...scopes],
    address: grant.address,
    user_agent: cutUserAgent(grant.userAgent),
    expires_at: addSeconds(change.now, isRenewable ? settings.refresh_token_seconds : settings.access_token_seconds),
    created_at: change.now,
  });
  await change.emit(rowEvent('oauth_token.created', { after: family }));
  return {
    family,
    tokens: await addTokens(services, change, family.id, { access: scopes, refresh: scopes, isRenewable }),
  };
}

/** Concurrent tabs renew with the same token at nearly the same time; all of them keep a valid pair. */
export const rotationGraceMs = 10_000;

export interface RenewalRules {
  /** Whether the token belongs to the requesting client. */
  readonly accepts: (row: RefreshTokenRow) => boolean;
  /** The scopes of the new access token; null refuses. The refresh token keeps the granted scopes. */
  readonly narrow?: (granted: readonly string[]) => readonly string[] | null;
}

export type Renewal = { readonly tokens: IssuedTokens } | { readonly refusal: string };

/**
 * Issues new tokens for a refresh token. Reuse after the grace period counts as theft and revokes the token family.
 */
export async function renewTokens(
  services: ChangeServices,
  actor: Actor,
  refreshToken: string,
  { accepts, narrow = (granted) => granted }: RenewalRules,
): Promise<Renewal> {
  const hash = hashToken(refreshToken);
  return await inTransaction(services, actor, async (change) => {
    const row = await lockRefreshToken(change.tx, hash);
    if (!row || !accepts(row)) return { refusal: 'The refresh token is unknown.' };
    if (row.revoked_at !== null) return { refusal: 'The refresh token has been revoked.' };
    if (Date.parse(row.expires_at) <= Date.parse(change.now)) return { refusal: 'The refresh token has expired.' };
    if (!row.is_owner_active) return { refusal: 'The owner of the refresh token is inactive.' };
    if (!row.is_grant_allowed) return { refusal: 'The client may no longer use this grant.' };
    if (row.rotated_at !== null && !isWithinGrace(row.rotated_at, services.clock.nowMs())) {
      await endReusedFamily(change, row.family_id);
      return { refusal: 'The refresh token was used before. Its tokens have been revoked.' };
    }
    const scopes = narrow(row.scopes);
    if (scopes === null) return { refusal: 'scope' };
    await markRotated(change.tx, hash, change.now);
    const expiresAt = addSeconds(change.now, services.settings().refresh_token_seconds);
    await extendFamily(change.tx, row.family_id, expiresAt, change.now);
    const access = intersectScopes(scopes, row.client_scopes);
    return {
      tokens: await addTokens(services, change, row.family_id, { access, refresh: row.scopes, isRenewable: true }),
    };
  });
}

/** The clock is read after the lock. If it was set back, the time since the rotation is unknown. */
function isWithinGrace(rotatedAt: string, nowMs: number): boolean {
  const ageMs = nowMs - Date.parse(rotatedAt);
  return ageMs >= 0 && ageMs <= rotationGraceMs;
}

/** Logout: every node rejects the tokens of the family from the next request on. */
export async function revokeTokens(services: ChangeServices, actor: Actor, familyId: Uuid): Promise<void> {
  await inTransaction(services, actor, (change) => endFamily(change, familyId));
}

/** Does nothing if the family has already ended. */
export async function endFamily(change: Change, familyId: Uuid): Promise<void> {
  const ended = await revokeFamily(change.tx, familyId, change.now);
  if (ended) await emitRevocations(change, [ended]);
}

/** Ends the family of a token that was used twice. The audit entry names the owner. */
export async function endReusedFamily(change: Change, familyId: Uuid): Promise<void> {
  const ended = await revokeFamily(change.tx, familyId, change.now);
  if (!ended) return;
  const { admin_id: adminId, user_id: userId } = ended;
  await change.emit(
    eventAbout('oauth_token.reuse_detected', familyId, {
      details: {
        admin_id: adminId && printIdentifier('admin', adminId),
        user_id: userId && printIdentifier('user', userId),
        owner_name: await findOwnerName(change.tx, ended),
      },
    }),
  );
  await emitRevocations(change, [ended]);
}

export async function emitRevocations(
  { emitAll, invalidate }: Change,
  families: readonly TokenFamilyRow[],
): Promise<void> {
  invalidate('access');
  await emitAll(families.map(deletionEvent));
}

/** The event of a session or personal access token that ends. */
export function deletionEvent({ id, kind }: Pick<TokenFamilyRow, 'id' | 'kind'>): EventInput {
  return kind === 'personal' ? eventAbout('personal_access_token.deleted', id) : eventAbout('oauth_token.deleted', id);
}

async function addTokens(
  services: ChangeServices,
  { tx, now }: Change,
  familyId: Uuid,
  { isRenewable, ...scopes }: { access: readonly string[]; refresh: readonly string[]; isRenewable: boolean },
): Promise<IssuedTokens> {
  const { issued, access, refresh } = generateTokens(services, now, scopes.access, isRenewable);
  const accessToken = { familyId, scopes: scopes.access, ...access };
  if (refresh) await insertTokenPair(tx, accessToken, { scopes: scopes.refresh, ...refresh }, now);
  else await insertAccessToken(tx, accessToken, now);
  return issued;
}

export interface GeneratedTokens {
  readonly issued: IssuedTokens;
  readonly access: TokenHash;
  /** Null if the client may not use refresh tokens. */
  readonly refresh: TokenHash | null;
}

/** Generates tokens; the caller stores their hashes. */
export function generateTokens(
  { settings }: Pick<ChangeServices, 'settings'>,
  now: string,
  scopes: readonly string[],
  isRenewable: boolean,
): GeneratedTokens {
  const { access_token_seconds: expiresIn, refresh_token_seconds } = settings();
  const accessToken = createOpaqueToken('fat');
  const refreshToken = isRenewable ? createOpaqueToken('frt') : null;
  return {
    issued: { accessToken, refreshToken, expiresIn, scopes },
    access: { hash: hashToken(accessToken), expiresAt: addSeconds(now, expiresIn) },
    refresh:
      refreshToken === null
        ? null
        : { hash: hashToken(refreshToken), expiresAt: addSeconds(now, refresh_token_seconds) },
  };
}

/** @returns an ISO timestamp */
export function addSeconds(instant: string, seconds: number): string {
  return new Date(Date.parse(instant) + seconds * 1000).toISOString();
}

const maxUserAgentLength = 512;

export function cutUserAgent(text: string | null): string | null {
  const clean = text?.replaceAll('\u0000', '').slice(0, maxUserAgentLength).toWellFormed().trim() ?? '';
  return clean === '' ? null : clean;
}
