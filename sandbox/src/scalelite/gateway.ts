import type { Gateway } from '../api/gateway.ts';
import { refusal } from '../api/request/refusals.ts';
import { success } from '../api/request/xml.ts';
import type { Balancer } from './balancer.ts';
import { scaleliteCalls } from './calls.ts';

export function balancerGateway(balancer: Balancer, secrets: readonly string[]): Gateway {
  return {
    calls: scaleliteCalls(balancer),
    root: () => success({ version: '2.0', build: '1.8.5' }),
    secrets,
    algorithms: balancer.checksumAlgorithms,
    redirectsRefusedJoins: false,
    translateRefusal: (error) => scaleliteRefusals.get(error.key) ?? error,
  };
}

const scaleliteRefusals = new Map([
  ['checksumError', refusal('scaleliteChecksum')],
  ['missingParamMeetingID', refusal('scaleliteMeetingIdMissing')],
]);
