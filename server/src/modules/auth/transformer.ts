import { OauthClient } from '@foyer/contract/resources/auth/oauth-client.ts';
import { OauthToken } from '@foyer/contract/resources/auth/oauth-token.ts';
import { PersonalAccessToken } from '@foyer/contract/resources/auth/personal-access-token.ts';
import { sql } from 'kysely';
import { printIdentifier, type Uuid } from '../../platform/identity/identifier.ts';
import { printInstant } from '../../platform/time/instant.ts';
import { defineView, type View } from '../../platform/list-query/view.ts';
import { instantOrNull } from '../../platform/row-members.ts';
import type { PrintedClientRow } from './clients/client-store.ts';
import { liveFamilyFrom, liveFamilySelect, type LiveFamilyRow } from './tokens/own-token-store.ts';
import type { PersonalTokenRow } from './tokens/personal-access-tokens.ts';
import { intersectScopes } from './tokens/scopes.ts';

export const oauthClientView = defineView<typeof OauthClient.fields, PrintedClientRow>({
  resource: OauthClient,
  table: 'oauth_clients',
  expressions: { client_id: sql`oauth_clients.id` },
  transform: (row) => ({
    name: row.name,
    population: row.population,
    confidential: row.confidential,
    first_party: row.first_party,
    proxy: row.proxy,
    redirect_uris: row.redirect_uris,
    grants: row.grants,
    scopes: row.scopes,
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
    scopes: row.scopes,
    token: row.token ?? null,
    last_used_at: instantOrNull(row.last_used_at),
    expires_at: printInstant(row.expires_at),
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
    kind: row.kind,
    name: row.name,
    client_id: printIdentifier('client', row.client_id),
    client_name: row.client_name,
    scopes: [...intersectScopes(row.scopes, row.client_scopes)],
    address: row.address,
    user_agent: row.user_agent,
    current: false,
    last_used_at: instantOrNull(row.last_used_at),
    expires_at: printInstant(row.expires_at),
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
