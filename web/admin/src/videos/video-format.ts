import { bytesText } from '../../../kit/format/lengths.ts';
import type { VideoRow } from '../nouns/rows.ts';

/** "1:02:03", "0:41". */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const padded = String(rest).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${padded}` : `${minutes}:${padded}`;
}

export type VideoFigures = Pick<VideoRow, 'width' | 'height' | 'size_bytes' | 'stored_bytes' | 'renditions' | 'state'>;

/** "1920 × 1080 · 1080p, 720p, 480p · 1.2 GB stored". */
export function figuresOf(video: VideoFigures): string {
  const { width, height, renditions } = video;
  const picture = width !== null && height !== null ? `${width} × ${height}` : null;
  const heights = renditions.length === 0 ? null : renditions.map((rendition) => `${rendition.height}p`).join(', ');
  return [picture, heights, sizeOf(video)].filter((part) => part !== null).join(' · ');
}

/** The size that counts against the storage: the uploaded file until it is processed, then the stored files. */
export function sizeOf({ state, stored_bytes: stored, size_bytes: size }: VideoFigures): string {
  return state === 'ready' && stored !== null ? `${bytesText(stored)} stored` : bytesText(size);
}

export function isPlayable({ renditions }: Pick<VideoRow, 'renditions'>): boolean {
  return renditions.length > 0;
}

/** Whether the upload or processing is running. Its progress has no events, so the video is polled. */
export function isInProgress({ state }: Pick<VideoRow, 'state'>): boolean {
  return state === 'uploading' || state === 'queued' || state === 'processing';
}

export const progressPollMs = 2000;
