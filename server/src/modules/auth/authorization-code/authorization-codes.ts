import { inTransaction, type ChangeServices } from '../../../events/change.ts';
import { eventAbout } from '../../../events/row-event.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import { createOpaqueToken, hashToken } from '../../../platform/crypto/opaque-token.ts';
import { findActiveOwner, findCode, insertCode, lockCode, storeCode } from './authorization-store.ts';
import { printIdentifier } from '../../../platform/identity/identifier.ts';
import type { OauthClientRow } from '../clients/client-store.ts';
import type { Owner } from '../store.ts';
import { beginFamily, endReusedFamily, ownerAsActor, type IssuedTokens, addSeconds } from '../tokens/tokens.ts';

export interface Consent {
  readonly client: OauthClientRow;
  readonly owner: Owner;
  readonly scopes: readonly string[];
  /** As in the request; null if the request had none, so that the only registered address is used. */
  readonly redirectUri: string | null;
  /** The PKCE challenge of the method S256. */
  readonly codeChallenge: string | null;
  readonly userAgent: string | null;
}

/** Issues a code for the scopes that the owner consented to. */
export async function createAuthorizationCode(
  services: ChangeServices,
  actor: Actor,
  consent: Consent,
): Promise<string> {
  const { client, owner } = consent;
  const code = createOpaqueToken('fac');
  await inTransaction(services, ownerAsActor(actor, consent), async ({ tx, now, emit }) => {
    await insertCode(tx, {
      code_hash: hashToken(code),
      client_id: client.id,
      admin_id: owner.population === 'admins' ? owner.id : null,
      user_id: owner.population === 'users' ? owner.id : null,
      scopes: [...consent.scopes],
      redirect_uri: consent.redirectUri,
      code_challenge: consent.codeChallenge,
      address: actor.address,
      user_agent: consent.userAgent?.slice(0, 512).replaceAll('\u0000', '').toWellFormed() ?? null,
      expires_at: addSeconds(now, services.settings().authorization_code_seconds),
      created_at: now,
    });
    await emit(
      eventAbout('oauth_client.authorized', client.id, {
        details: {
          owner_id: printIdentifier(owner.population === 'admins' ? 'admin' : 'user', owner.id),
          granted_scopes: consent.scopes,
        },
      }),
    );
  });
  return code;
}

/**
 * Issues the tokens for a code that was just marked as used. Returns null if the code was presented again in the meantime
 * or its owner is inactive.
 */
export async function exchangeCode(
  services: ChangeServices,
  actor: Actor,
  { client, code, scopes }: { client: OauthClientRow; code: string; scopes: readonly string[] },
): Promise<IssuedTokens | null> {
  const hash = hashToken(code);
  const row = await findCode(services.db, hash);
  const ownerBeforeLock = row && (await findActiveOwner(services.db, row));
  if (!ownerBeforeLock) return null;
  return await inTransaction(services, ownerAsActor(actor, { client, owner: ownerBeforeLock }), async (change) => {
    const locked = await lockCode(change.tx, hash);
    const owner = locked && (await findActiveOwner(change.tx, locked));
    if (!locked || !owner || locked.reused_at !== null || locked.family_id !== null) return null;
    const { family, tokens } = await beginFamily(services, change, {
      kind: 'authorization',
      client,
      owner,
      scopes,
      address: locked.address,
      userAgent: locked.user_agent,
    });
    await storeCode(change.tx, hash, { family_id: family.id });
    return tokens;
  });
}

/** Revokes the tokens of a used code that was presented again, because it may be stolen (RFC 6749, 4.1.2). */
export async function endReusedCode(services: ChangeServices, actor: Actor, code: string): Promise<void> {
  const hash = hashToken(code);
  await inTransaction(services, actor, async (change) => {
    const row = await lockCode(change.tx, hash);
    if (!row) return;
    await storeCode(change.tx, hash, { reused_at: change.now });
    if (row.family_id !== null) await endReusedFamily(change, row.family_id);
  });
}
