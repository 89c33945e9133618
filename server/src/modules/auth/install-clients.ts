import { change, type ChangeServices, system } from '../../events/change.ts';
import { newUuid } from '../../platform/identifier.ts';
import { createOpaqueToken, hashToken } from '../../platform/opaque-token.ts';
import { insertClient } from './store.ts';

/** The two first-party clients behind the proxy logins, made at installation. Their secrets are known to nobody. */
export async function installProxyClients(services: ChangeServices): Promise<void> {
  await change(services, system, async ({ tx, now }) => {
    for (const population of ['admins', 'users'] as const) {
      await insertClient(
        tx,
        {
          id: newUuid(),
          name: population === 'admins' ? 'Admin proxy client' : 'User proxy client',
          population,
          secret_hash: hashToken(createOpaqueToken('fcs')),
          grants: ['password', 'refresh_token'],
          scopes: ['*'],
          proxy: true,
        },
        now,
      );
    }
  });
}

/** A first-party client whose secret is shown once. */
export async function createFirstPartyClient(
  services: ChangeServices,
  name: string,
  population: 'admins' | 'users',
): Promise<{ id: string; secret: string }> {
  const id = newUuid();
  const secret = createOpaqueToken('fcs');
  await change(services, system, async ({ tx, now, emit }) => {
    await insertClient(
      tx,
      {
        id,
        name,
        population,
        secret_hash: hashToken(secret),
        grants: ['password', 'refresh_token'],
        scopes: ['*'],
        proxy: false,
      },
      now,
    );
    await emit({
      name: 'oauth_client.created',
      resource: { type: 'OauthClient', id },
      after: { name, population },
    });
  });
  return { id, secret };
}
