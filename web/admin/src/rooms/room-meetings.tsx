import { RelatedList } from '../resource/related-list.tsx';
import { formatShortInstant } from '../../../kit/format/instants.ts';
import { type Noun, text, textOrNull } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';

/** Within a room, meetings are titled by their time. */
const meetingsOfRoom: Noun = {
  ...nouns.meetings,
  columns: ['started_at', 'state', 'participant_count', 'peak_participants', 'participant_minutes', 'end_reason'],
  filters: ['state', 'started_at'],
  titleOf: (row) => formatShortInstant(textOrNull(row, 'started_at') ?? text(row, 'created_at')),
};

export function RoomMeetings({ roomId }: { readonly roomId: string }) {
  return <RelatedList noun={meetingsOfRoom} within={{ room_id: roomId }} presets={null} />;
}
