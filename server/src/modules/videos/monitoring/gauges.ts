import type { Dependencies } from '../../../dependencies.ts';
import type { GaugeGroup } from '../../../platform/gauges.ts';
import { printIdentifier } from '../../../platform/identity/identifier.ts';
import { countWaitingVideos } from './waiting.ts';

const gauge = 'foyer_provider_videos_waiting';

export const videoGauges: GaugeGroup<Dependencies> = {
  gauges: [
    {
      name: gauge,
      help: 'Videos that wait on a media server: for their upload, for processing or for their deletion.',
      labels: ['provider', 'wait'],
    },
  ],
  async read({ db }) {
    return (await countWaitingVideos(db)).map(({ providerId, wait, count }) => ({
      gauge,
      labels: { provider: printIdentifier('prov', providerId), wait },
      value: count,
    }));
  },
};
