import { twoFactorEndpoints as endpoints } from '@foyer/contract/resources/administrators/two-factor.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Result, type Route, route, value, actionRoute } from '../../platform/http/input/call.ts';
import { requirePrincipal } from '../../platform/http/input/guard.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { instantOrNull } from '../../platform/row-members.ts';
import { disableTwoFactor } from './disable-two-factor.ts';
import { beginTwoFactor, confirmTwoFactor } from './enable-two-factor.ts';
import { renewRecoveryCodes } from './renew-recovery-codes.ts';
import { resetTwoFactor } from './reset-two-factor.ts';
import { countRecoveryCodes, findTwoFactor } from './store.ts';

export function twoFactorRoutes(dependencies: Dependencies): Route[] {
  return [
    route(endpoints.readTwoFactor, ({ principal }) =>
      printTwoFactor(dependencies, requirePrincipal(principal, 'admin').id),
    ),
    route(endpoints.beginTwoFactor, async (call) =>
      value({ object: 'TwoFactorEnrollment', ...(await beginTwoFactor(dependencies, call)) }),
    ),
    route(endpoints.confirmTwoFactor, async (call) => printRecoveryCodes(await confirmTwoFactor(dependencies, call))),
    route(endpoints.renewRecoveryCodes, async (call) =>
      printRecoveryCodes(await renewRecoveryCodes(dependencies, call)),
    ),
    route(endpoints.disableTwoFactor, async (call) => {
      await disableTwoFactor(dependencies, call);
      return await printTwoFactor(dependencies, requirePrincipal(call.principal).id);
    }),
    actionRoute(endpoints.resetTwoFactor, (call) => resetTwoFactor(dependencies, call)),
  ];
}

async function printTwoFactor({ db }: Dependencies, adminId: Uuid): Promise<Result> {
  const [row, recoveryCodesLeft] = await Promise.all([findTwoFactor(db, adminId), countRecoveryCodes(db, adminId)]);
  return value({
    object: 'TwoFactor',
    enabled: (row?.confirmed_at ?? null) !== null,
    confirmed_at: instantOrNull(row?.confirmed_at ?? null),
    recovery_codes_left: recoveryCodesLeft,
  });
}

function printRecoveryCodes(codes: readonly string[]): Result {
  return value({ object: 'RecoveryCodes', recovery_codes: codes });
}
