import type { Dependencies } from '../../dependencies.ts';
import { printIdentifier, type Uuid } from '../../platform/identifier.ts';
import { meetingProvider } from './meeting-provider-for.ts';
import { requireServiceProvider } from './store.ts';

/** Asks the provider itself; whatever it answers, or does not, is a finding and no failure of ours. */
export async function checkServiceProvider(dependencies: Dependencies, id: Uuid): Promise<Record<string, unknown>> {
  const row = await requireServiceProvider(dependencies.db, id);
  const provider = await meetingProvider(dependencies, row);
  const finding = await provider.check();
  return {
    object: 'ServiceProviderCheck',
    service_provider_id: printIdentifier('prov', id),
    reachable: finding.reachable,
    api_version: finding.apiVersion,
    secret_accepted: finding.secretAccepted,
    latency_ms: finding.latencyMs,
    problem: finding.problem,
  };
}
