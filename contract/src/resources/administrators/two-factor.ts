import { Type } from 'typebox';
import { authenticated, empty, endpoint, enveloped, holders } from '../../conventions/endpoint.ts';
import { boolean, derived, instant, integer, listOf, nullable, object, oneOf, text } from '../../conventions/field.ts';

const tag = 'Second factor';

/** Six digits from an authenticator app; at sign-in also a recovery code. */
export const oneTimeCode = text(50, {
  minLength: 1,
  secret: true,
  description: 'Six digits from the authenticator app, or a recovery code.',
});

const password = text(512, { minLength: 1, secret: true });

const TwoFactor = object({
  object: derived(oneOf(['TwoFactor'])),
  enabled: boolean(),
  confirmed_at: nullable(instant()),
  recovery_codes_left: integer(0, 10),
});

const TwoFactorEnrollment = object({
  object: derived(oneOf(['TwoFactorEnrollment'])),
  secret: text(64, { description: 'In Base32, to enter in the app.' }),
  otpauth_url: text(2048),
  qr_code: Type.String({ description: 'The `otpauth_url` as an SVG image in a data URL.' }),
});

const RecoveryCodes = object({
  object: derived(oneOf(['RecoveryCodes'])),
  recovery_codes: listOf(text(50), 10),
});

const ownAccount = {
  method: 'POST',
  tag,
  access: authenticated('admins'),
  isAllowedWithoutSecondFactor: true,
  interactiveSession: true,
} as const;

export const twoFactorEndpoints = {
  readTwoFactor: endpoint({
    ...ownAccount,
    method: 'GET',
    path: '/admins/me/two-factor',
    summary: 'Read whether the calling administrator has a second factor',
    answer: enveloped(TwoFactor),
  }),
  beginTwoFactor: endpoint({
    ...ownAccount,
    checksSecret: true,
    path: '/admins/me/two-factor',
    summary: 'Start setting up the second factor',
    description:
      'The response has the secret for an authenticator app. The second factor is active once a first code has confirmed it.',
    body: object({ password }),
    answer: enveloped(TwoFactorEnrollment),
    errors: ['wrong-credentials', 'second-factor-enabled', 'too-many-requests'],
  }),
  confirmTwoFactor: endpoint({
    ...ownAccount,
    checksSecret: true,
    path: '/admins/me/two-factor/confirm',
    summary: 'Turn the second factor on with a first code',
    description: "The recovery codes are shown only in this response. The administrator's other sessions end.",
    body: object({ code: oneTimeCode }),
    answer: enveloped(RecoveryCodes),
    errors: ['second-factor-wrong', 'second-factor-enabled', 'second-factor-not-enabled', 'too-many-requests'],
  }),
  renewRecoveryCodes: endpoint({
    ...ownAccount,
    checksSecret: true,
    path: '/admins/me/two-factor/recovery-codes',
    summary: 'Create new recovery codes, which replace the old ones',
    description: 'Needs the password and a code.',
    body: object({ password, code: oneTimeCode }),
    answer: enveloped(RecoveryCodes),
    errors: ['wrong-credentials', 'second-factor-wrong', 'second-factor-not-enabled', 'too-many-requests'],
  }),
  disableTwoFactor: endpoint({
    ...ownAccount,
    checksSecret: true,
    path: '/admins/me/two-factor/disable',
    summary: 'Turn the second factor off',
    body: object({ password, code: oneTimeCode }),
    answer: enveloped(TwoFactor),
    errors: ['wrong-credentials', 'second-factor-wrong', 'second-factor-not-enabled', 'too-many-requests'],
  }),
  resetTwoFactor: endpoint({
    method: 'DELETE',
    path: '/admins/:admin_id/two-factor',
    tag,
    summary: "Remove another administrator's second factor",
    description:
      'For an administrator who has lost it. Rejected if that administrator has permissions that the caller does not have.',
    access: holders('update-admins'),
    params: { admin_id: 'admin' },
    answer: empty,
    errors: ['own-account', 'privilege-escalation', 'second-factor-not-enabled'],
  }),
};
