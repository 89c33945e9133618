import type { Dependencies } from '../../../dependencies.ts';
import { printIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';
import type { ProviderCheck } from '../../../providers/meet.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { meetingProvider } from '../placement/meeting-provider-for.ts';
import { recordPoll } from './record-poll.ts';
import { requireServiceProvider, type ServiceProviderRow } from '../store.ts';

/** Checks the provider. A failure is returned as the result, not thrown. */
export async function checkServiceProvider(dependencies: Dependencies, id: Uuid): Promise<Record<string, unknown>> {
  const row = await requireServiceProvider(dependencies.db, id);
  const finding = await ask(dependencies, row);
  await recordPoll(dependencies, id, {
    answered: finding.secretAccepted === true && finding.problem === null,
    isUnusable: finding.secretAccepted === false || (finding.secretAccepted === true && finding.problem !== null),
    latencyMs: finding.latencyMs,
    problem: finding.problem,
    counts: null,
    apiVersion: finding.apiVersion,
  });
  return {
    object: 'ServiceProviderCheck',
    service_provider_id: printIdentifier('prov', id),
    reachable: finding.reachable,
    api_version: finding.apiVersion,
    secret_accepted: finding.secretAccepted,
    latency_ms: finding.latencyMs,
    clock_offset_seconds:
      finding.dateMs === null ? null : Math.round((finding.dateMs - dependencies.clock.nowMs()) / 1000),
    problem: finding.problem,
  };
}

async function ask(dependencies: Dependencies, row: ServiceProviderRow): Promise<ProviderCheck> {
  try {
    const provider = await meetingProvider(dependencies, row);
    return await provider.check();
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    return {
      reachable: false,
      apiVersion: null,
      secretAccepted: null,
      latencyMs: null,
      dateMs: null,
      problem: error.message,
    };
  }
}
