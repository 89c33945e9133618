import { change, type Change, type ChangeServices } from '../../events/change.ts';
import type { Actor } from '../../platform/http/call.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { createOpaqueToken, hashToken } from '../../platform/opaque-token.ts';
import {
  insertFamily,
  insertTokens,
  lockRefreshToken,
  markRotated,
  type Owner,
  type RefreshTokenRow,
  revokeFamily,
} from './store.ts';

export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly scopes: readonly string[];
}

/** Begins a family: somebody logged in through the client. */
export async function issueTokens(
  services: ChangeServices,
  actor: Actor,
  clientId: Uuid,
  owner: Owner,
  scopes: readonly string[],
): Promise<IssuedTokens> {
  const kind = owner.population === 'admins' ? 'admin' : 'user';
  return await change(services, { ...actor, type: kind, id: owner.id, name: owner.name }, async (under) => {
    const familyId = await insertFamily(under.tx, clientId, owner, scopes, under.now);
    await under.emit({
      name: `${kind}.logged_in`,
      resource: { type: kind === 'admin' ? 'Admin' : 'User', id: owner.id },
    });
    return await addPair(services, under, familyId, scopes);
  });
}

/** Concurrent tabs renew with the same token at nearly the same time; all of them keep a valid pair. */
export const rotationGraceMs = 10_000;

export type Renewal = { readonly tokens: IssuedTokens } | { readonly refusal: string };

/**
 * Renews by a refresh token. One that was renewed before is theft until shown otherwise:
 * outside the grace its whole family ends.
 * @param accepts whether the token may be renewed here: the client or population that asks must be its own.
 * @param narrow the scopes of the new pair; null refuses.
 */
export async function renewTokens(
  services: ChangeServices,
  actor: Actor,
  refreshToken: string,
  accepts: (row: RefreshTokenRow) => boolean,
  narrow: (granted: readonly string[]) => readonly string[] | null = (granted) => granted,
): Promise<Renewal> {
  const hash = hashToken(refreshToken);
  return await change(services, actor, async (under) => {
    const row = await lockRefreshToken(under.tx, hash);
    if (!row || !accepts(row)) return { refusal: 'The refresh token is unknown.' };
    if (row.revoked_at !== null) return { refusal: 'The refresh token has been revoked.' };
    if (Date.parse(row.expires_at) <= Date.parse(under.now)) return { refusal: 'The refresh token has expired.' };
    if (!row.owner_active) return { refusal: 'The owner of the refresh token is inactive.' };
    if (row.rotated_at !== null && Date.parse(under.now) - Date.parse(row.rotated_at) > rotationGraceMs) {
      await endFamily(under, row.family_id, 'token.reuse_detected');
      return { refusal: 'The refresh token was used before. Its tokens have been revoked.' };
    }
    const scopes = narrow(row.scopes);
    if (scopes === null) return { refusal: 'scope' };
    await markRotated(under.tx, hash, under.now);
    return { tokens: await addPair(services, under, row.family_id, scopes) };
  });
}

/** Logout: the family ends, on every node from the next request on. */
export async function revokeTokens(services: ChangeServices, actor: Actor, familyId: Uuid): Promise<void> {
  await change(services, actor, (under) => endFamily(under, familyId, 'token.revoked'));
}

async function endFamily(
  { tx, now, emit, announce }: Change,
  familyId: Uuid,
  name: 'token.reuse_detected' | 'token.revoked',
): Promise<void> {
  await revokeFamily(tx, familyId, now);
  announce('access');
  await emit({ name, resource: { type: 'TokenFamily', id: familyId } });
}

async function addPair(
  services: ChangeServices,
  { tx, now }: Change,
  familyId: Uuid,
  scopes: readonly string[],
): Promise<IssuedTokens> {
  const settings = services.settings();
  const accessToken = createOpaqueToken('fat');
  const refreshToken = createOpaqueToken('frt');
  const nowMs = Date.parse(now);
  await insertTokens(
    tx,
    {
      familyId,
      scopes,
      accessHash: hashToken(accessToken),
      accessExpiresAt: new Date(nowMs + settings.access_token_seconds * 1000).toISOString(),
      refreshHash: hashToken(refreshToken),
      refreshExpiresAt: new Date(nowMs + settings.refresh_token_seconds * 1000).toISOString(),
    },
    now,
  );
  return { accessToken, refreshToken, expiresIn: settings.access_token_seconds, scopes };
}
