import { defineModule } from '../../module.ts';
import { secondFactorSecrets } from './check-second-factor.ts';
import { twoFactorRoutes } from './routes.ts';

export { checkSecondFactor, secondFactorSecrets, type SecondFactorCheck } from './check-second-factor.ts';
export { resetTwoFactorByName } from './reset-two-factor.ts';

export const twoFactor = defineModule({
  name: 'two-factor',
  routes: twoFactorRoutes,
  encryptedColumns: [secondFactorSecrets],
});
