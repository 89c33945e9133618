import type { RecordingRow } from '../store.ts';

/** A format of a recording. Its address is stored encrypted. */
export interface Format {
  readonly type: string;
  /** In minutes. */
  readonly length: number;
}

/** The formats that can be watched; none unless the recording is published. */
export function formatsOf({ state, playback }: Pick<RecordingRow, 'state' | 'playback'>): readonly Format[] {
  return state === 'published' ? (playback as unknown as readonly Format[]) : [];
}
