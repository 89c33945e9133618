import { Type } from 'typebox';
import { anyone, bare, endpoint } from '../../conventions/endpoint.ts';
import { boolean, listOf, nullable, object, oneOf, optional, text } from '../../conventions/field.ts';
import { oneTimeCode } from '../administrators/two-factor.ts';

export const grantTypes = ['authorization_code', 'client_credentials', 'password', 'refresh_token'] as const;
export type GrantType = (typeof grantTypes)[number];

const tag = 'OAuth';
const clientMembers = {
  client_id: optional(text(254)),
  client_secret: optional(text(512, { secret: true })),
};
const tokenMembers = {
  token: optional(text(512, { secret: true })),
  token_type_hint: optional(text(100)),
  ...clientMembers,
};
/** Common to all endpoints of the protocol: the client authenticates by HTTP Basic or in the body. */
const protocol = { access: anyone, hasUnprefixedPath: true, oauth: true, tag } as const;

const seconds = (description: string) => Type.Integer({ description });

export const TokenGrant = object({
  token_type: Type.Unsafe<'Bearer'>({ type: 'string', const: 'Bearer' }),
  expires_in: seconds('Seconds.'),
  access_token: text(200),
  refresh_token: optional(text(200)),
  scope: optional(text(4096)),
});

export const Introspection = object({
  active: boolean('Whether the token can be used now. If not, there are no other members.'),
  scope: optional(text(4096)),
  client_id: optional(text(254)),
  username: optional(text(254)),
  token_type: optional(Type.Unsafe<'Bearer'>({ type: 'string', const: 'Bearer' })),
  exp: optional(seconds('Seconds since 1970.')),
  iat: optional(seconds('Seconds since 1970.')),
  sub: optional(text(254, { description: 'The owner, or the client if the token has no owner.' })),
  iss: optional(text(2048)),
});

export const ServerMetadata = object({
  issuer: text(2048),
  authorization_endpoint: text(2048),
  token_endpoint: text(2048),
  revocation_endpoint: text(2048),
  introspection_endpoint: text(2048),
  scopes_supported: listOf(text()),
  response_types_supported: listOf(text()),
  response_modes_supported: listOf(text()),
  grant_types_supported: listOf(oneOf(grantTypes)),
  token_endpoint_auth_methods_supported: listOf(text()),
  revocation_endpoint_auth_methods_supported: listOf(text()),
  introspection_endpoint_auth_methods_supported: listOf(text()),
  code_challenge_methods_supported: listOf(text()),
  authorization_response_iss_parameter_supported: boolean(),
  service_documentation: text(2048),
});

export const oauthEndpoints = {
  issueToken: endpoint({
    ...protocol,
    method: 'POST',
    path: '/oauth/token',
    summary: 'Exchange a grant for tokens (RFC 6749)',
    description:
      'Grants: `authorization_code` (with PKCE, RFC 7636), `client_credentials` (confidential clients of administrators; the token has no owner and no refresh token), `password` (first-party clients) and `refresh_token`. Takes JSON and form bodies; the client may also authenticate by HTTP Basic. Codes come from the page `/oauth/authorize`.',
    form: true,
    rateLimit: 'login',
    body: object({
      grant_type: optional(text(100)),
      ...clientMembers,
      username: optional(text(254)),
      password: optional(text(512, { secret: true })),
      otp: optional(nullable(oneTimeCode)),
      refresh_token: optional(text(512, { secret: true })),
      code: optional(text(512, { secret: true })),
      redirect_uri: optional(text(2048)),
      code_verifier: optional(text(512, { secret: true })),
      scope: optional(text(4096)),
    }),
    answer: bare(TokenGrant),
    errors: [
      'oauth-client-refused',
      'oauth-refused',
      'second-factor-required',
      'second-factor-wrong',
      'too-many-requests',
    ],
  }),
  revokeToken: endpoint({
    ...protocol,
    method: 'POST',
    path: '/oauth/revoke',
    summary: 'Revoke a token and all other tokens of its session (RFC 7009)',
    description:
      'Accepts an access or refresh token of the calling client. The response is the same for a token that is unknown or belongs to another client; nothing is revoked then.',
    form: true,
    rateLimit: 'login',
    body: object(tokenMembers),
    answer: bare(object({})),
    errors: ['oauth-client-refused', 'oauth-refused'],
  }),
  introspectToken: endpoint({
    ...protocol,
    method: 'POST',
    path: '/oauth/introspect',
    summary: 'Introspect a token (RFC 7662)',
    description:
      'For confidential clients, about the tokens of their own population. All other tokens are `active: false`.',
    form: true,
    rateLimit: 'login',
    body: object(tokenMembers),
    answer: bare(Introspection),
    errors: ['oauth-client-refused', 'oauth-refused'],
  }),
  readAuthorizationServer: endpoint({
    ...protocol,
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    summary: 'Read the metadata of the authorization server (RFC 8414)',
    answer: bare(ServerMetadata),
  }),
};
