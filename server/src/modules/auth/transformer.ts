import { OauthClient } from '@foyer/contract/resources/auth/oauth-client.ts';
import { OauthToken } from '@foyer/contract/resources/auth/oauth-token.ts';
import { PersonalAccessToken } from '@foyer/contract/resources/auth/personal-access-token.ts';
import { sql } from 'kysely';
import { printIdentifier, type Uuid } from '../../platform/identity/identifier.ts';
import { defineView, type View } from '../../platform/list-query/view.ts';
import type { ClientRowWithSecret } from './clients/client-store.ts';
import { liveFamilyFrom, liveFamilySelect, type LiveFamilyRow } from './tokens/own-token-store.ts';
import type { PersonalTokenRow } from './tokens/personal-access-tokens.ts';
import { intersectScopes } from './tokens/scopes.ts';

export const oauthClientView = defineView<typeof OauthClient.fields, ClientRowWithSecret>({
  resource: OauthClient,
  table: 'oauth_clients',
  expressions: { client_id: sql`oauth_clients.id` },
  transform: (row) => ({
    secret: 'secret' in row ? (row.secret ?? null) : null,
    client_id: printIdentifier('client', row.id),
    client_secret: 'secret' in row ? (row.secret ?? null) : null,
  }),
});

export const personalAccessTokenView = defineView<typeof PersonalAccessToken.fields, PersonalTokenRow>({
  resource: PersonalAccessToken,
  table: 'token_families',
  select: sql`token_families.*, token_families.created_at as updated_at`,
  expressions: { updated_at: sql`token_families.created_at` },
  transform: (row) => ({
    name: row.name ?? '',
    token: row.token ?? null,
  }),
});

export const oauthTokenView = defineView<typeof OauthToken.fields, LiveFamilyRow>({
  resource: OauthToken,
  table: 'token_families',
  from: liveFamilyFrom,
  select: liveFamilySelect,
  expressions: {
    client_name: sql`oauth_clients.name`,
    updated_at: sql`coalesce(token_families.last_used_at, token_families.created_at)`,
  },
  transform: (row) => ({
    scopes: [...intersectScopes(row.scopes, row.client_scopes)],
    current: false,
  }),
});

/** The view of the caller's own tokens. @param currentFamilyId the family of the calling token */
export function oauthTokenViewFor(currentFamilyId: Uuid): View<LiveFamilyRow> {
  return {
    ...oauthTokenView,
    orders: { current: sql`(token_families.id = ${currentFamilyId})` },
    transform: (row, reader) =>
      Object.assign(oauthTokenView.transform(row, reader), { current: row.id === currentFamilyId }),
  };
}
