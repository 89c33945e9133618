import { Recording, type RecordingStateName } from '@foyer/contract/resources/meetings/recording.ts';
import { sql } from 'kysely';
import { defineView } from '../../platform/list-query/view.ts';
import { idOrNull } from '../../platform/row-members.ts';
import { formatsOf } from './watch/formats.ts';
import { playbackPath } from './watch/playback-path.ts';
import type { RecordingRow } from './store.ts';

export const recordingView = defineView<typeof Recording.fields, RecordingRow>({
  resource: Recording,
  table: 'recordings',
  from: sql`(select * from recordings where deleted_at is null) recordings`,
  expressions: { changes_pending: sql`(recordings.pending <> '{}')` },
  transform: (row, reader) => ({
    // Customers of a reseller must not see the reseller's providers and their addresses.
    service_provider_id: reader.userId === null ? idOrNull('prov', row.service_provider_id) : null,
    provider_recording_id: reader.userId === null ? row.provider_recording_id : null,
    // Deleted recordings are not listed.
    state: row.state as RecordingStateName,
    changes_pending: row.pending.length > 0,
    playback: formatsOf(row).map(({ type, length }) => ({
      type,
      length,
      ...reader.signPlaybackLink(playbackPath(row.id, type)),
    })),
  }),
});
