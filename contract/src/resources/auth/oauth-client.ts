import { created, empty, endpoint, holders, list, single } from '../../conventions/endpoint.ts';
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
      'https, or http on a loopback address; without a fragment. Compared letter by letter; only the port of 127.0.0.1 and [::1] is free.',
  }),
  50,
);

const secret = derived(
  nullable(text(200, { description: 'In the answer that made it, and never again: then null. Stored as a hash.' })),
);

export const OauthClient = resource({
  object: 'OauthClient',
  prefix: 'client',
  readPermission: 'read-oauth-clients',
  fields: {
    ...identity('OauthClient', 'client'),
    name: text(150, { freeText: true }),
    population: oneOf(['admins', 'users'], 'Who logs in through it.'),
    confidential: boolean('Whether it can keep a secret; apps and pages cannot.'),
    first_party: boolean('The platform’s own: may take passwords, and asks for no consent.'),
    proxy: boolean('Behind the login of this platform; cannot be changed.'),
    redirect_uris: redirectUris,
    grants: listOf(oneOf(grantTypes)),
    scopes: listOf(oneOf(scopes)),
    secret,
    client_id: identifier('client', 'What the token endpoint takes as `client_id`: the `id`.'),
    client_secret: secret,
    ...timestamps(),
  },
  includes: {},
});

const tag = 'OAuth clients';
const params = { client_id: 'client' } as const;
const firstParty = boolean(
  'Only holders of the role `admin` may set it; not given, it is true where one of them gives the grant `password`.',
);

export const oauthClientEndpoints = {
  listOauthClients: endpoint({
    method: 'GET',
    path: '/oauth/clients',
    tag,
    summary: 'List OAuth clients',
    access: holders('read-oauth-clients'),
    atRoot: true,
    answer: list(OauthClient),
  }),
  createOauthClient: endpoint({
    method: 'POST',
    path: '/oauth/clients',
    tag,
    summary: 'Register an OAuth client',
    description:
      'The answer shows the secret of a confidential client, once. You cannot register a client with scopes that you do not hold. Without `scopes` it has `*`: its tokens may do what their owners may; a client with the grant `client_credentials`, whose tokens have no owner, must name them.',
    access: holders('create-oauth-clients'),
    atRoot: true,
    body: object({
      name: text(150),
      population: oneOf(['admins', 'users']),
      confidential: optional(boolean()),
      first_party: optional(firstParty),
      redirect_uris: optional(redirectUris),
      grants: listOf(oneOf(grantTypes), 4),
      scopes: optional(listOf(oneOf(scopes))),
    }),
    answer: created(OauthClient),
    errors: ['privilege-escalation'],
  }),
  readOauthClient: endpoint({
    method: 'GET',
    path: '/oauth/clients/:client_id',
    tag,
    summary: 'Read an OAuth client',
    access: holders('read-oauth-clients'),
    atRoot: true,
    params,
    answer: single(OauthClient),
  }),
  updateOauthClient: endpoint({
    method: 'PATCH',
    path: '/oauth/clients/:client_id',
    tag,
    summary: 'Change an OAuth client',
    description: 'What is taken from its scopes and grants is gone from its tokens with their next request.',
    access: holders('update-oauth-clients'),
    atRoot: true,
    params,
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
    answer: single(OauthClient),
    errors: ['privilege-escalation', 'proxy-client'],
  }),
  deleteOauthClient: endpoint({
    method: 'DELETE',
    path: '/oauth/clients/:client_id',
    tag,
    summary: 'Delete an OAuth client with all its tokens',
    access: holders('delete-oauth-clients'),
    atRoot: true,
    params,
    answer: empty,
    errors: ['proxy-client'],
  }),
  rotateOauthClientSecret: endpoint({
    method: 'POST',
    path: '/oauth/clients/:client_id/secret',
    tag,
    summary: 'Give an OAuth client a new secret; the old one ends at once',
    description: 'The answer shows the new secret, once. Tokens that were given stay valid.',
    access: holders('update-oauth-clients'),
    atRoot: true,
    params,
    answer: single(OauthClient),
    errors: ['privilege-escalation', 'proxy-client', 'client-not-confidential'],
  }),
};
