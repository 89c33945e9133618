import { collection } from '../../conventions/collection.ts';
import { authenticated, endpoint } from '../../conventions/endpoint.ts';
import { derived, instant, listOf, nullable, object, oneOf, optional, text } from '../../conventions/field.ts';
import { identity, resource, timestamps } from '../../conventions/resource.ts';
import { scopes } from '../../conventions/scope.ts';

export const PersonalAccessToken = resource('personal_access_token', {
  readPermission: null,
  fields: {
    ...identity('personal_access_token'),
    name: text(150, { freeText: true }),
    scopes: listOf(oneOf(scopes)),
    token: derived(
      nullable(text(200, { description: 'Only in the response that creates it, otherwise null. Stored as a hash.' })),
    ),
    last_used_at: nullable(instant()),
    expires_at: instant(),
    ...timestamps(),
  },
  includes: {},
});

const tag = 'Personal access tokens';
const params = { token_id: 'pat' } as const;

const personalAccessTokens = collection(PersonalAccessToken, {
  path: '/oauth/personal-access-tokens',
  tag,
  elementParams: params,
});

export const personalAccessTokenEndpoints = {
  listPersonalAccessTokens: endpoint({
    ...personalAccessTokens.list,
    summary: 'List your personal access tokens',
    access: authenticated(),
    hasUnprefixedPath: true,
    errors: ['first-party-only'],
  }),
  createPersonalAccessToken: endpoint({
    ...personalAccessTokens.create,
    summary: 'Create a personal access token',
    description:
      'The token has your permissions, limited to its scopes. The scopes cannot exceed those of the token that you send. It expires after the number of days in the setting `personal_token_days`, unless you set `expires_at`. It is shown only in this response.',
    access: authenticated(),
    hasUnprefixedPath: true,
    body: object({
      name: text(150),
      scopes: listOf(oneOf(scopes)),
      expires_at: optional(instant()),
    }),
    errors: ['privilege-escalation', 'first-party-only', 'own-hand-required'],
  }),
  readPersonalAccessToken: endpoint({
    ...personalAccessTokens.read,
    summary: 'Read one of your personal access tokens',
    access: authenticated(),
    hasUnprefixedPath: true,
    errors: ['first-party-only'],
  }),
  deletePersonalAccessToken: endpoint({
    ...personalAccessTokens.delete,
    summary: 'Revoke one of your personal access tokens',
    access: authenticated(),
    hasUnprefixedPath: true,
    errors: ['first-party-only'],
  }),
};
