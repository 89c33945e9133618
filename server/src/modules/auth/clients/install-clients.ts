import { newRow } from '../../../database/row-store.ts';
import type { GrantType } from '@foyer/contract/resources/auth/oauth.ts';
import { inTransaction, type ChangeServices, system } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import { createOpaqueToken, hashToken } from '../../../platform/crypto/opaque-token.ts';
import { insertClient } from './client-store.ts';

/** Creates the two first-party clients of the proxy logins. Their secrets are not stored anywhere. */
export async function installProxyClients(services: ChangeServices): Promise<void> {
  await inTransaction(services, system, async ({ tx, now }) => {
    for (const population of ['admins', 'users'] as const) {
      await insertClient(tx, {
        ...firstPartyRow(now),
        name: population === 'admins' ? 'Admin proxy client' : 'User proxy client',
        population,
        secret_hash: hashToken(createOpaqueToken('fcs')),
        proxy: true,
      });
    }
  });
}

/** A first-party client whose secret is shown once. */
export async function createFirstPartyClient(
  services: ChangeServices,
  name: string,
  population: 'admins' | 'users',
): Promise<{ id: string; secret: string }> {
  const secret = createOpaqueToken('fcs');
  return await inTransaction(services, system, async ({ tx, now, emit }) => {
    const row = { ...firstPartyRow(now), name, population, secret_hash: hashToken(secret), proxy: false };
    const inserted = await insertClient(tx, row);
    if (inserted) await emit(rowEvent('oauth_client.created', { after: inserted }));
    return { id: row.id, secret };
  });
}

function firstPartyRow(now: string) {
  return {
    ...newRow(now),
    first_party: true,
    confidential: true,
    grants: ['password', 'refresh_token'] satisfies GrantType[],
    scopes: ['*'],
  };
}
