import { authenticated, created, empty, endpoint, list, single } from '../../conventions/endpoint.ts';
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
      nullable(text(200, { description: 'Only in the answer that creates it, otherwise null. Stored as a hash.' })),
    ),
    last_used_at: nullable(instant()),
    expires_at: instant(),
    ...timestamps(),
  },
  includes: {},
});

const tag = 'Personal access tokens';
const params = { token_id: 'pat' } as const;

export const personalAccessTokenEndpoints = {
  listPersonalAccessTokens: endpoint({
    method: 'GET',
    path: '/oauth/personal-access-tokens',
    tag,
    summary: 'List your personal access tokens',
    access: authenticated(),
    atRoot: true,
    answer: list(PersonalAccessToken),
    errors: ['first-party-only'],
  }),
  createPersonalAccessToken: endpoint({
    method: 'POST',
    path: '/oauth/personal-access-tokens',
    tag,
    summary: 'Create a personal access token',
    description:
      'It can do what you can, limited to its scopes, which cannot exceed those of the token of this request. It expires after the days of the setting `personal_token_days`, unless you set `expires_at`. The answer shows the token, only this once.',
    access: authenticated(),
    atRoot: true,
    body: object({
      name: text(150),
      scopes: listOf(oneOf(scopes)),
      expires_at: optional(instant()),
    }),
    answer: created(PersonalAccessToken),
    errors: ['privilege-escalation', 'first-party-only', 'own-hand-required'],
  }),
  readPersonalAccessToken: endpoint({
    method: 'GET',
    path: '/oauth/personal-access-tokens/:token_id',
    tag,
    summary: 'Read one of your personal access tokens',
    access: authenticated(),
    atRoot: true,
    params,
    answer: single(PersonalAccessToken),
    errors: ['first-party-only'],
  }),
  deletePersonalAccessToken: endpoint({
    method: 'DELETE',
    path: '/oauth/personal-access-tokens/:token_id',
    tag,
    summary: 'Revoke one of your personal access tokens',
    access: authenticated(),
    atRoot: true,
    params,
    answer: empty,
    errors: ['first-party-only'],
  }),
};
