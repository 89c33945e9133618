import { Absent } from '../../../kit/display/field-value.tsx';
import type { VideoRow } from '../nouns/rows.ts';
import { formatDuration, sizeOf } from './video-format.ts';

export function LengthCell({ row }: { readonly row: VideoRow }) {
  return row.duration_seconds === null ? <Absent /> : <span>{formatDuration(row.duration_seconds)}</span>;
}

export function ResolutionCell({ row }: { readonly row: VideoRow }) {
  return row.height === null ? <Absent /> : <span>{`${row.width ?? '?'} × ${row.height}`}</span>;
}

export function VideoSizeCell({ row }: { readonly row: VideoRow }) {
  return <span>{sizeOf(row)}</span>;
}
