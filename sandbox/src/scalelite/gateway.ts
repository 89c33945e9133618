import type { Gateway } from '../api/gateway.ts';
import { success } from '../api/xml.ts';
import { scaleliteAlgorithms } from './admin.ts';
import type { Balancer } from './balancer.ts';
import { balancedCalls } from './calls.ts';

export function balancerGateway(balancer: Balancer, secrets: readonly string[]): Gateway {
  return {
    calls: balancedCalls(balancer),
    root: () => success({ version: '2.0', build: '1.8.5' }),
    secrets,
    algorithms: scaleliteAlgorithms,
    redirectsRefusedJoins: false,
  };
}
