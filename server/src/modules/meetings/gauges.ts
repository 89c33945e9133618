import type { Dependencies } from '../../dependencies.ts';
import type { GaugeGroup } from '../../platform/gauges.ts';
import { countOpenMeetings } from './sync/poll-store.ts';

export const meetingGauges: GaugeGroup<Dependencies> = {
  gauges: [
    { name: 'foyer_meetings_open', help: 'Running meetings of Foyer.' },
    { name: 'foyer_meetings_participants', help: 'Participants in running meetings.' },
  ],
  async read({ db }) {
    const { meetings, participants } = await countOpenMeetings(db);
    return [
      { gauge: 'foyer_meetings_open', value: meetings },
      { gauge: 'foyer_meetings_participants', value: participants },
    ];
  },
};
