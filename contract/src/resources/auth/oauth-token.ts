import { collection } from '../../conventions/collection.ts';
import { authenticated, empty, endpoint } from '../../conventions/endpoint.ts';
import { boolean, derived, identifier, instant, listOf, nullable, oneOf, text } from '../../conventions/field.ts';
import { identity, resource, timestamps } from '../../conventions/resource.ts';
import { scopes } from '../../conventions/scope.ts';

/** How the tokens were issued: sign-in, password grant, consent, client credentials, or as a personal access token. */
export const tokenKinds = ['session', 'password', 'authorization', 'client', 'personal'] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** An access token with its refresh token, if it has one. `kind` says how it was issued. */
export const OauthToken = resource('oauth_token', {
  readPermission: null,
  fields: {
    ...identity('oauth_token'),
    kind: oneOf(tokenKinds),
    name: nullable(text(150, { freeText: true, description: 'Only for personal access tokens.' })),
    client_id: identifier('client'),
    client_name: text(150, { freeText: true }),
    scopes: listOf(oneOf(scopes)),
    address: nullable(text(64, { freeText: true, description: 'The IP address from which it was created.' })),
    user_agent: nullable(text(512, { freeText: true })),
    current: derived(boolean('Whether it is the token of this request.')),
    last_used_at: nullable(instant()),
    expires_at: instant(),
    ...timestamps(),
  },
  includes: {},
});

const tag = 'Sessions';
const params = { token_id: 'tok' } as const;

const oauthTokens = collection(OauthToken, { path: '/oauth/tokens', tag, elementParams: params });

export const oauthTokenEndpoints = {
  listOauthTokens: endpoint({
    ...oauthTokens.list,
    summary: 'List your sessions and tokens',
    description: 'A token of a third-party client only sees those of that client.',
    access: authenticated(),
    hasUnprefixedPath: true,
  }),
  deleteOtherOauthTokens: endpoint({
    method: 'DELETE',
    path: '/oauth/tokens',
    tag,
    summary: 'End all your sessions and tokens except the one of this request',
    access: authenticated(),
    hasUnprefixedPath: true,
    answer: empty,
  }),
  readOauthToken: endpoint({
    ...oauthTokens.read,
    summary: 'Read one of your sessions or tokens',
    access: authenticated(),
    hasUnprefixedPath: true,
  }),
  deleteOauthToken: endpoint({
    ...oauthTokens.delete,
    summary: 'End one of your sessions or tokens',
    access: authenticated(),
    hasUnprefixedPath: true,
  }),
};
