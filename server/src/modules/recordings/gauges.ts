import type { Dependencies } from '../../dependencies.ts';
import type { GaugeGroup } from '../../platform/gauges.ts';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import { maxProviders } from '../service-providers/index.ts';
import { countWaitingRecordings } from './waiting.ts';

const gauge = 'foyer_provider_recordings_waiting';

export const recordingGauges: GaugeGroup<Dependencies> = {
  gauges: [
    {
      name: gauge,
      help: 'Recordings that wait for their provider: for processing, a change or a deletion.',
      labels: ['provider', 'wait'],
    },
  ],
  async read({ db }) {
    const waiting = await countWaitingRecordings(db, maxProviders);
    return waiting.map(({ providerId, wait, count }) => ({
      gauge,
      labels: { provider: printIdentifier('prov', providerId), wait },
      value: count,
    }));
  },
};
