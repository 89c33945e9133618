import { Recording, type RecordingStateName } from '@foyer/contract/resources/meetings/recording.ts';
import { sql } from 'kysely';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import { defineView } from '../../platform/list-query/view.ts';
import { idOrNull, instantOrNull } from '../../platform/row-members.ts';
import { formatsOf } from './watch/formats.ts';
import { playbackPath } from './watch/playback-path.ts';
import type { RecordingRow } from './store.ts';

export const recordingView = defineView<typeof Recording.fields, RecordingRow>({
  resource: Recording,
  table: 'recordings',
  from: sql`(select * from recordings where deleted_at is null) recordings`,
  expressions: { changes_pending: sql`(recordings.pending <> '{}')` },
  transform: (row, reader) => ({
    room_id: printIdentifier('room', row.room_id),
    meeting_id: idOrNull('meet', row.meeting_id),
    customer_id: printIdentifier('cust', row.customer_id),
    subscription_id: printIdentifier('sub', row.subscription_id),
    // Customers of a reseller must not see the reseller's providers and their addresses.
    service_provider_id: reader.userId === null ? idOrNull('prov', row.service_provider_id) : null,
    provider_recording_id: reader.userId === null ? row.provider_recording_id : null,
    name: row.name,
    // Deleted recordings are not listed.
    state: row.state as RecordingStateName,
    published: row.published,
    problem: row.problem,
    changes_pending: row.pending.length > 0,
    started_at: instantOrNull(row.started_at),
    ended_at: instantOrNull(row.ended_at),
    participants: row.participants,
    size_bytes: row.size_bytes,
    size_estimated: row.size_estimated,
    playback: formatsOf(row).map(({ type, length }) => ({
      type,
      length,
      ...reader.signPlaybackLink(playbackPath(row.id, type)),
    })),
    plays: row.plays,
    last_played_at: instantOrNull(row.last_played_at),
    expires_at: instantOrNull(row.expires_at),
    recording_metadata: row.recording_metadata,
  }),
});
