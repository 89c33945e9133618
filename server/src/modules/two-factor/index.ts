export { checkSecondFactor, secondFactorSecrets, type SecondFactorCheck } from './check-second-factor.ts';
export { type EnabledTwoFactor, whenTwoFactorIsEnabled } from './consequences.ts';
export { resetTwoFactorByName } from './reset-two-factor.ts';
