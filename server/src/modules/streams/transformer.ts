import { Output } from '@foyer/contract/resources/media/output.ts';
import { secretMask } from '@foyer/contract/resources/providers/provider-types.ts';
import { Stream } from '@foyer/contract/resources/media/stream.ts';
import { defineView } from '../../platform/list-query/view.ts';
import { roomUrl } from '../rooms/index.ts';
import type { OutputRow } from './outputs/output-store.ts';
import { type PrintedStreamRow, printedStreamColumns, printedStreamTables } from './store.ts';

export const streamView = defineView<typeof Stream.fields, PrintedStreamRow>({
  resource: Stream,
  table: 'streams',
  from: printedStreamTables,
  select: printedStreamColumns,
  transform: (row, reader) => ({
    ingest: {
      rtmp_url: row.rtmp_url,
      stream_key: row.key ?? secretMask,
      whip_url: row.public_url && `${row.public_url}/whip/${row.room_id}`,
    },
    playback: { url: roomUrl(reader.publicUrl, { id: row.room_id, slug: row.slug }) },
    input: row.input && {
      width: row.input.width,
      height: row.input.height,
      fps: row.input.fps,
      video_kbps: row.input.videoKbps,
      audio_kbps: row.input.audioKbps,
      keyframe_seconds: row.input.keyframeSeconds,
      warnings: row.input.warnings.map(({ code, message }) => ({ code, message })),
    },
    source: row.source_url === null ? null : { url: row.source_url },
    source_error: row.source_error,
    source_error_code: row.source_error_code,
  }),
});

export const outputView = defineView<typeof Output.fields, OutputRow>({
  resource: Output,
  table: 'outputs',
  transform: (row) => ({
    stream_key: row.stream_key_sealed === null ? null : secretMask,
  }),
});
