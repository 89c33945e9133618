import { IconPlayerRecord, IconVideo } from '@tabler/icons-react';
import { formatShortInstant } from '../../../kit/format/instants.ts';
import { type FieldOf, type Noun, type Row, text, textOrNull } from '../../../kit/noun/noun.ts';
import { Meeting, Recording } from './kinds.table.ts';
import type { MeetingRow, RecordingRow } from './rows.ts';

export const meetings: Noun<MeetingRow, never> = {
  resource: Meeting,
  path: 'meetings',
  singular: 'meeting',
  plural: 'Meetings',
  summary: 'Every session of a room, running meetings first.',
  emptyText: 'The first one appears here as soon as a participant joins a room.',
  icon: IconVideo,
  section: 'Rooms',
  param: 'meeting_id',
  list: 'listMeetings',
  read: 'readMeeting',
  titleOf: (row) => roomNameOf(row) ?? titleByTime('Meeting', row),
  detailOf: momentOf,
  columns: ['room_id', 'state', 'customer_id', 'started_at', 'participant_count', 'participant_minutes'],
  filters: ['state', 'room_id', 'customer_id', 'started_at'],
  heads: { peak_participants: 'Most participants', participant_minutes: 'Participant min.' },
  order: { orderBy: 'ended_at', sortedBy: 'desc' },
  isNameless: true,
  groups: [],
};

export const recordings: Noun<RecordingRow, FieldOf<'updateRecording'>> = {
  resource: Recording,
  path: 'recordings',
  singular: 'recording',
  plural: 'Recordings',
  summary: 'Recordings of your rooms. People watch them with links that expire.',
  emptyText: 'Recordings appear here after the meeting, when the server has processed them.',
  icon: IconPlayerRecord,
  section: 'Rooms',
  param: 'recording_id',
  list: 'listRecordings',
  read: 'readRecording',
  update: 'updateRecording',
  remove: 'deleteRecording',
  titleOf: (row) => textOrNull(row, 'name') ?? titleByTime('Recording', row),
  detailOf: (row) => roomNameOf(row) ?? momentOf(row),
  columns: ['name', 'state', 'room_id', 'started_at', 'size_bytes', 'plays', 'expires_at'],
  filters: ['state', 'room_id', 'customer_id', 'started_at'],
  heads: { started_at: 'Recorded' },
  order: { orderBy: 'started_at', sortedBy: 'desc' },
  groups: [{ title: '', fields: ['name', 'recording_metadata'] }],
  hiddenInChange: ['published'],
  deletion:
    'The recording and its links are deleted immediately and no longer use storage. The provider deletes it too, as soon as it responds.',
};

function roomNameOf(row: Row): string | null {
  const room = (row.room as { data?: Row | null } | undefined)?.data;
  return room ? textOrNull(room, 'room_name') : null;
}

/** Empty if the row has no time, since audit entries contain only changed members. */
function titleByTime(label: string, row: Row): string {
  const moment = momentOf(row);
  return moment === '' ? '' : `${label} of ${moment}`;
}

function momentOf(row: Row): string {
  const at = textOrNull(row, 'started_at') ?? text(row, 'created_at');
  return Number.isNaN(Date.parse(at)) ? '' : formatShortInstant(at);
}
