import { providerStates } from '@foyer/contract/resources/providers/service-provider-health.ts';
import type { Dependencies } from '../../../dependencies.ts';
import type { GaugeGroup, Sample } from '../../../platform/gauges.ts';
import { printIdentifier } from '../../../platform/identity/identifier.ts';
import { maxProviders, readProviderFigures } from './figures.ts';

const labels = ['provider'];

/** Providers appear by id alone, since their names may be confidential. The values are stored: no request is sent. */
export const providerGauges: GaugeGroup<Dependencies> = {
  gauges: [
    { name: 'foyer_providers', help: 'Active service providers.' },
    {
      name: 'foyer_provider_state',
      help: 'State of a service provider by its last checks: 1 for the current state, 0 for the others.',
      labels: ['provider', 'state'],
    },
    { name: 'foyer_provider_checked_timestamp_seconds', help: 'When a service provider was last checked.', labels },
    { name: 'foyer_provider_latency_seconds', help: 'Duration of the last answer of a service provider.', labels },
    {
      name: 'foyer_provider_meetings',
      help: 'Meetings on the server of a service provider at the last count, including those that Foyer did not create.',
      labels,
    },
    { name: 'foyer_provider_participants', help: 'Participants in these meetings.', labels },
    {
      name: 'foyer_provider_circuit_open',
      help: 'Whether the circuit breaker of this process is open for the provider.',
      labels,
    },
  ],
  async read({ db, clock, providers: registry }) {
    const { total, providers } = await readProviderFigures(db, clock.now(), maxProviders);
    const openCircuits = registry.openCircuits();
    const samples: Sample[] = [{ gauge: 'foyer_providers', value: total }];
    for (const { id, state, checkedAtMs, latencyMs, meetings, participants } of providers) {
      const provider = printIdentifier('prov', id);
      const add = (gauge: string, value: number | null) => {
        if (value !== null) samples.push({ gauge, labels: { provider }, value });
      };
      for (const providerState of providerStates) {
        const isCurrent = providerState === state;
        samples.push({
          gauge: 'foyer_provider_state',
          labels: { provider, state: providerState },
          value: isCurrent ? 1 : 0,
        });
      }
      add('foyer_provider_checked_timestamp_seconds', checkedAtMs === null ? null : checkedAtMs / 1000);
      add('foyer_provider_latency_seconds', latencyMs === null ? null : latencyMs / 1000);
      add('foyer_provider_meetings', meetings);
      add('foyer_provider_participants', participants);
      add('foyer_provider_circuit_open', openCircuits.has(id) ? 1 : 0);
    }
    return samples;
  },
};
