import { authenticated, created, empty, endpoint, list, single } from '../../conventions/endpoint.ts';
import { derived, instant, listOf, nullable, object, oneOf, optional, text } from '../../conventions/field.ts';
import { identity, resource, timestamps } from '../../conventions/resource.ts';
import { scopes } from '../../conventions/scope.ts';

export const PersonalAccessToken = resource({
  object: 'PersonalAccessToken',
  prefix: 'pat',
  readPermission: null,
  fields: {
    ...identity('PersonalAccessToken', 'pat'),
    name: text(150, { freeText: true }),
    scopes: listOf(oneOf(scopes)),
    token: derived(
      nullable(text(200, { description: 'In the answer that made it, and never again: then null. Stored as a hash.' })),
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
    summary: 'List your own personal access tokens',
    access: authenticated(),
    atRoot: true,
    answer: list(PersonalAccessToken),
    errors: ['first-party-only'],
  }),
  createPersonalAccessToken: endpoint({
    method: 'POST',
    path: '/oauth/personal-access-tokens',
    tag,
    summary: 'Make a token for your own programs',
    description:
      'It may do what you may, limited to its scopes, which are at most those of the token that you call with. Without `expires_at` it lives as long as the setting `personal_token_days` says. The answer shows it, once.',
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
    summary: 'Read one of your own personal access tokens',
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
    summary: 'Revoke one of your own personal access tokens',
    access: authenticated(),
    atRoot: true,
    params,
    answer: empty,
    errors: ['first-party-only'],
  }),
};
