import { defineModule } from '../../module.ts';
import { twoFactorColumn } from './check-second-factor.ts';
import { twoFactorRoutes } from './routes.ts';

export { checkSecondFactor, twoFactorColumn, type SecondFactorCheck } from './check-second-factor.ts';
export { resetTwoFactorByName } from './reset-two-factor.ts';

export const twoFactor = defineModule({
  name: 'two-factor',
  routes: twoFactorRoutes,
  encryptedColumns: [twoFactorColumn],
});
