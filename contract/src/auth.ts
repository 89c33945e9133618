import { anyone, authenticated, bare, endpoint } from './endpoint.ts';
import { nullable, object, optional, text } from './field.ts';
import { oneTimeCode } from './two-factor.ts';
import { Type } from 'typebox';

const tokenObject = object({
  token_type: Type.Unsafe<'Bearer'>({ type: 'string', const: 'Bearer' }),
  expires_in: Type.Integer({ description: 'Seconds.' }),
  access_token: text(200),
  refresh_token: text(200),
  scope: optional(text(4096)),
});

const tag = 'Authentication';
const login = {
  method: 'POST',
  tag,
  access: anyone,
  atRoot: true,
  limit: 'login',
  sameOrigin: true,
  body: object({
    username: text(254, { minLength: 1 }),
    password: text(512, { minLength: 1, secret: true }),
    otp: optional(nullable(oneTimeCode)),
  }),
  answer: bare(tokenObject),
  errors: ['wrong-credentials', 'second-factor-required', 'second-factor-wrong', 'origin-refused', 'too-many-requests'],
} as const;
const refresh = {
  method: 'POST',
  tag,
  access: anyone,
  atRoot: true,
  limit: 'login',
  sameOrigin: true,
  body: object({ refresh_token: optional(text(512, { secret: true })) }),
  answer: bare(tokenObject),
  errors: ['unauthenticated', 'origin-refused'],
} as const;

export const authEndpoints = {
  issueToken: endpoint({
    method: 'POST',
    path: '/oauth/token',
    tag,
    summary: 'Exchange a grant for tokens (RFC 6749)',
    description:
      'Grants: `password` (first-party clients) and `refresh_token`. Takes JSON and form bodies; the client may also authenticate by HTTP Basic.',
    access: anyone,
    atRoot: true,
    form: true,
    oauth: true,
    limit: 'login',
    body: object({
      grant_type: optional(text(100)),
      client_id: optional(text(254)),
      client_secret: optional(text(512, { secret: true })),
      username: optional(text(254)),
      password: optional(text(512, { secret: true })),
      otp: optional(nullable(oneTimeCode)),
      refresh_token: optional(text(512, { secret: true })),
      scope: optional(text(4096)),
    }),
    answer: bare(tokenObject),
    errors: ['second-factor-required', 'second-factor-wrong', 'too-many-requests'],
  }),
  loginAdmin: endpoint({
    ...login,
    path: '/oauth/proxy/login',
    summary: 'Log an administrator in',
  }),
  refreshAdmin: endpoint({
    ...refresh,
    path: '/oauth/proxy/login/refresh',
    summary: "Renew an administrator's tokens, by body or by cookie",
  }),
  loginUser: endpoint({ ...login, path: '/oauth/proxy/users/login', summary: 'Log a user in' }),
  refreshUser: endpoint({
    ...refresh,
    path: '/oauth/proxy/users/login/refresh',
    summary: "Renew a user's tokens, by body or by cookie",
  }),
  logout: endpoint({
    method: 'DELETE',
    path: '/logout',
    tag,
    summary: 'Revoke the presented token and what renews it',
    access: authenticated(),
    beforeEnrollment: true,
    atRoot: true,
    answer: bare(object({ message: text() }), 202),
  }),
};
