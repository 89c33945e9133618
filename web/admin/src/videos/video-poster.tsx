import { IconMovie } from '@tabler/icons-react';
import type { VideoRow } from '../nouns/rows.ts';
import { formatDuration } from './video-format.ts';
import './videos.css';

export function VideoPoster({ row }: { readonly row: VideoRow }) {
  return (
    <div className="video-poster">
      {row.poster_url === null ? <IconMovie size={24} stroke={1.4} aria-hidden /> : <img src={row.poster_url} alt="" />}
      {row.duration_seconds !== null && <span className="video-length">{formatDuration(row.duration_seconds)}</span>}
    </div>
  );
}
