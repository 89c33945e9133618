import { anyone, bare, endpoint, enveloped, holders } from '../../conventions/endpoint.ts';
import { boolean, derived, instant, nullable, object, oneOf, text } from '../../conventions/field.ts';

/** A link for choosing a new password. */
const PasswordReset = object({
  object: derived(oneOf(['PasswordReset'])),
  email: text(254),
  mailed: boolean('Whether the link is being sent to the address.'),
  url: nullable(text(2048, { description: 'The link, only if no mail server is configured.' })),
  expires_at: instant(),
});

const message = object({ message: text() });
const forgot = {
  method: 'POST',
  access: anyone,
  rateLimit: 'login',
  description:
    'The response is the same whether or not a user has this email. The link is valid for 60 minutes and can be used once. A new request invalidates it.',
  body: object({ email: text(254, { format: 'email' }) }),
  answer: bare(message, 202),
  errors: ['too-many-requests'],
} as const;
const reset = {
  method: 'POST',
  access: anyone,
  rateLimit: 'login',
  description: 'Ends all sessions of the person and invalidates all other links.',
  body: object({
    token: text(64, { minLength: 1, secret: true }),
    password: text(512, { minLength: 1, secret: true }),
  }),
  answer: bare(message),
  errors: ['link-not-valid', 'too-many-requests'],
} as const;
const users = 'Users';
const admins = 'Administrators';

export const passwordResetEndpoints = {
  forgotUserPassword: endpoint({
    ...forgot,
    path: '/users/password/forgot',
    tag: users,
    summary: 'Request a link to choose a new password',
  }),
  resetUserPassword: endpoint({
    ...reset,
    path: '/users/password/reset',
    tag: users,
    summary: 'Choose a new password with the token of a link',
  }),
  createUserPasswordReset: endpoint({
    method: 'POST',
    path: '/users/:user_id/password-reset',
    tag: users,
    summary: 'Create a link for a user to choose a new password',
    access: holders('update-users'),
    params: { user_id: 'user' },
    answer: enveloped(PasswordReset),
  }),
  forgotAdminPassword: endpoint({
    ...forgot,
    path: '/admins/password/forgot',
    tag: admins,
    summary: 'Request a link to choose a new password',
  }),
  resetAdminPassword: endpoint({
    ...reset,
    path: '/admins/password/reset',
    tag: admins,
    summary: 'Choose a new password with the token of a link',
  }),
  createAdminPasswordReset: endpoint({
    method: 'POST',
    path: '/admins/:admin_id/password-reset',
    tag: admins,
    summary: 'Create a link for an administrator to choose a new password',
    access: holders('update-admins'),
    params: { admin_id: 'admin' },
    answer: enveloped(PasswordReset),
    errors: ['privilege-escalation'],
  }),
};
