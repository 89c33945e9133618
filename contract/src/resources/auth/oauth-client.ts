import { collection } from '../../conventions/collection.ts';
import { endpoint, holders, single } from '../../conventions/endpoint.ts';
import {
  boolean,
  derived,
  identifier,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  text,
} from '../../conventions/field.ts';
import { grantTypes } from './oauth.ts';
import { identity, resource, timestamps } from '../../conventions/resource.ts';
import { scopes } from '../../conventions/scope.ts';

const redirectUris = listOf(
  text(2048, {
    description:
      'https, or http on a loopback address; without a fragment. Must match exactly, except for the port of 127.0.0.1 and [::1].',
  }),
  50,
);

const secret = derived(
  nullable(text(200, { description: 'Only in the response that creates it, otherwise null. Stored as a hash.' })),
);

export const OauthClient = resource('oauth_client', {
  readPermission: 'read-oauth-clients',
  fields: {
    ...identity('oauth_client'),
    name: text(150, { freeText: true }),
    population: oneOf(['admins', 'users'], 'Whether administrators or users log in through it.'),
    confidential: boolean('Whether it can keep a secret. Apps and browser pages cannot.'),
    first_party: boolean('Belongs to the platform: it may use passwords, and needs no consent.'),
    proxy: boolean('Foyer’s own login endpoints use this client. It cannot be changed or deleted.'),
    redirect_uris: redirectUris,
    grants: listOf(oneOf(grantTypes)),
    scopes: listOf(oneOf(scopes)),
    secret,
    client_id: identifier('client', 'The `client_id` for the token endpoint; the same as `id`.'),
    client_secret: secret,
    ...timestamps(),
  },
  includes: {},
});

const tag = 'OAuth clients';
const params = { client_id: 'client' } as const;
const firstParty = boolean(
  'Only administrators with the role `admin` can set it. By default it is true if one of them creates the client with the grant `password`.',
);

const oauthClients = collection(OauthClient, { path: '/oauth/clients', tag, elementParams: params });

export const oauthClientEndpoints = {
  listOauthClients: endpoint({
    ...oauthClients.list,
    summary: 'List OAuth clients',
    access: holders('read-oauth-clients'),
    hasUnprefixedPath: true,
  }),
  createOauthClient: endpoint({
    ...oauthClients.create,
    summary: 'Register an OAuth client',
    description:
      'The secret of a confidential client is shown only in this response. You cannot register a client with scopes that you do not hold. `scopes` is `*` by default: its tokens can do what their owners can. With the grant `client_credentials`, whose tokens have no owner, you must set `scopes`.',
    access: holders('create-oauth-clients'),
    hasUnprefixedPath: true,
    body: object({
      name: text(150),
      population: oneOf(['admins', 'users']),
      confidential: optional(boolean()),
      first_party: optional(firstParty),
      redirect_uris: optional(redirectUris),
      grants: listOf(oneOf(grantTypes), 4),
      scopes: optional(listOf(oneOf(scopes))),
    }),
    errors: ['privilege-escalation'],
  }),
  readOauthClient: endpoint({
    ...oauthClients.read,
    summary: 'Read an OAuth client',
    access: holders('read-oauth-clients'),
    hasUnprefixedPath: true,
  }),
  updateOauthClient: endpoint({
    ...oauthClients.update,
    summary: 'Change an OAuth client',
    description: 'Removed scopes no longer apply to existing tokens. Tokens of a removed grant stop working at once.',
    access: holders('update-oauth-clients'),
    hasUnprefixedPath: true,
    body: object({
      name: optional(text(150)),
      first_party: optional(firstParty),
      redirect_uris: optional(redirectUris),
      grants: optional(listOf(oneOf(grantTypes), 4)),
      scopes: optional(listOf(oneOf(scopes))),
    }),
    immutable: object({
      population: optional(oneOf(['admins', 'users'])),
      confidential: optional(boolean()),
    }),
    errors: ['privilege-escalation', 'proxy-client'],
  }),
  deleteOauthClient: endpoint({
    ...oauthClients.delete,
    summary: 'Delete an OAuth client with all its tokens',
    access: holders('delete-oauth-clients'),
    hasUnprefixedPath: true,
    errors: ['proxy-client'],
  }),
  rotateOauthClientSecret: endpoint({
    method: 'POST',
    path: '/oauth/clients/:client_id/secret',
    tag,
    summary: 'Give an OAuth client a new secret, which replaces the old one at once',
    description: 'The new secret is shown only in this response. Existing tokens stay valid.',
    access: holders('update-oauth-clients'),
    hasUnprefixedPath: true,
    params,
    answer: single(OauthClient),
    errors: ['privilege-escalation', 'proxy-client', 'client-not-confidential'],
  }),
};
