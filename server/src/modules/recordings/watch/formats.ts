import type { RecordingRow } from '../store.ts';

/** How a recording can be watched; where, is sealed. */
export interface Format {
  readonly type: string;
  /** In minutes. */
  readonly length: number;
}

/** What of the recording may be watched: nothing unless it is published. */
export function formatsOf({ state, playback }: Pick<RecordingRow, 'state' | 'playback'>): readonly Format[] {
  return state === 'published' ? (playback as unknown as readonly Format[]) : [];
}
