import { Output } from '@foyer/contract/resources/media/output.ts';
import { secretMask } from '@foyer/contract/resources/providers/provider-types.ts';
import { Stream } from '@foyer/contract/resources/media/stream.ts';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import { defineView } from '../../platform/list-query/view.ts';
import { instantOrNull } from '../../platform/row-members.ts';
import { roomUrl } from '../rooms/index.ts';
import type { OutputRow } from './outputs/output-store.ts';
import { type PrintedStreamRow, printedStreamColumns, printedStreamTables } from './store.ts';

export const streamView = defineView<typeof Stream.fields, PrintedStreamRow>({
  resource: Stream,
  table: 'streams',
  from: printedStreamTables,
  select: printedStreamColumns,
  transform: (row, reader) => ({
    room_id: printIdentifier('room', row.room_id),
    state: row.state,
    ingest: {
      rtmp_url: row.rtmp_url,
      stream_key: row.key ?? secretMask,
      whip_url: row.public_url && `${row.public_url}/whip/${row.room_id}`,
    },
    playback: { url: roomUrl(reader.publicUrl, { id: row.room_id, slug: row.slug }) },
    started_at: instantOrNull(row.started_at),
    viewers: row.viewers,
    input: row.input && {
      width: row.input.width,
      height: row.input.height,
      fps: row.input.fps,
      video_kbps: row.input.videoKbps,
      audio_kbps: row.input.audioKbps,
      keyframe_seconds: row.input.keyframeSeconds,
      warnings: row.input.warnings.map(({ code, message }) => ({ code, message })),
    },
    record: row.record,
    latency_mode: row.latency_mode,
    source: row.source_url === null ? null : { url: row.source_url },
  }),
});

export const outputView = defineView<typeof Output.fields, OutputRow>({
  resource: Output,
  table: 'outputs',
  transform: (row) => ({
    room_id: printIdentifier('room', row.room_id),
    name: row.name,
    platform: row.platform,
    url: row.url,
    stream_key: row.stream_key_sealed === null ? null : secretMask,
    enabled: row.enabled,
    state: row.state,
    since: instantOrNull(row.since),
    kbps: row.kbps,
    bytes_sent: row.bytes_sent,
    last_error: row.last_error,
    output_metadata: row.output_metadata,
  }),
});
