import { anyone, authenticated, bare, endpoint } from '../../conventions/endpoint.ts';
import { nullable, object, optional, text } from '../../conventions/field.ts';
import { oneTimeCode } from '../administrators/two-factor.ts';
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
  hasUnprefixedPath: true,
  rateLimit: 'login',
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
  hasUnprefixedPath: true,
  rateLimit: 'login',
  sameOrigin: true,
  body: object({ refresh_token: optional(text(512, { secret: true })) }),
  answer: bare(tokenObject),
  errors: ['unauthenticated', 'origin-refused'],
} as const;

export const authEndpoints = {
  loginAdmin: endpoint({
    ...login,
    path: '/oauth/proxy/login',
    summary: 'Log an administrator in',
  }),
  refreshAdmin: endpoint({
    ...refresh,
    path: '/oauth/proxy/login/refresh',
    summary: "Renew an administrator's tokens, with the refresh token in the body or in a cookie",
  }),
  loginUser: endpoint({ ...login, path: '/oauth/proxy/users/login', summary: 'Log a user in' }),
  refreshUser: endpoint({
    ...refresh,
    path: '/oauth/proxy/users/login/refresh',
    summary: "Renew a user's tokens, with the refresh token in the body or in a cookie",
  }),
  logout: endpoint({
    method: 'DELETE',
    path: '/logout',
    tag,
    summary: 'Revoke the token of the request and its refresh token',
    access: authenticated(),
    isAllowedWithoutSecondFactor: true,
    hasUnprefixedPath: true,
    answer: bare(object({ message: text() }), 202),
  }),
};
