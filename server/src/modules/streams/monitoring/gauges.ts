import type { Dependencies } from '../../../dependencies.ts';
import type { GaugeGroup } from '../../../platform/gauges.ts';
import { readStreamFigures } from './figures.ts';

export const streamGauges: GaugeGroup<Dependencies> = {
  gauges: [
    { name: 'foyer_streams', help: 'Broadcasts that run, by their state.', labels: ['state'] },
    { name: 'foyer_stream_viewers', help: 'Viewers of these broadcasts.' },
    { name: 'foyer_stream_outputs', help: 'Enabled outputs of these broadcasts, by their state.', labels: ['state'] },
  ],
  async read({ db }) {
    const { live, reconnecting, viewers, liveOutputs, failedOutputs } = await readStreamFigures(db);
    return [
      { gauge: 'foyer_streams', labels: { state: 'live' }, value: live },
      { gauge: 'foyer_streams', labels: { state: 'reconnecting' }, value: reconnecting },
      { gauge: 'foyer_stream_viewers', value: viewers },
      { gauge: 'foyer_stream_outputs', labels: { state: 'live' }, value: liveOutputs },
      { gauge: 'foyer_stream_outputs', labels: { state: 'failed' }, value: failedOutputs },
    ];
  },
};
