import type { Dependencies } from '../../../dependencies.ts';
import { printIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';
import type { ProviderCheck } from '../../../providers/meet.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { meetingProvider } from '../placement/meeting-provider.ts';
import { recordPoll } from './record-poll.ts';
import { requireServiceProvider, type ServiceProviderRow } from '../store.ts';

/** Checks the provider. A failure is returned as the result, not thrown. */
export async function checkServiceProvider(dependencies: Dependencies, id: Uuid): Promise<Record<string, unknown>> {
  const row = await requireServiceProvider(dependencies.db, id);
  const check = await checkProvider(dependencies, row);
  await recordPoll(dependencies, id, {
    answered: check.secretAccepted === true && check.problem === null,
    isUnusable: check.secretAccepted === false || (check.secretAccepted === true && check.problem !== null),
    latencyMs: check.latencyMs,
    problem: check.problem,
    counts: null,
    apiVersion: check.apiVersion,
  });
  return {
    object: 'ServiceProviderCheck',
    service_provider_id: printIdentifier('prov', id),
    reachable: check.reachable,
    api_version: check.apiVersion,
    secret_accepted: check.secretAccepted,
    latency_ms: check.latencyMs,
    clock_offset_seconds: check.dateMs === null ? null : Math.round((check.dateMs - dependencies.clock.nowMs()) / 1000),
    problem: check.problem ?? check.warning ?? null,
  };
}

async function checkProvider(dependencies: Dependencies, row: ServiceProviderRow): Promise<ProviderCheck> {
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
