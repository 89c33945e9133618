import './delete-recordings.ts';

export { linkThatEnds } from './link-that-ends.ts';
export { recordingSecrets } from './playback-addresses.ts';
export { type RecordingLimit, recordingLimitReached } from './recording-limits.ts';
export { recordingsToWatch, type WatchableRecording } from './recordings-to-watch.ts';
export { recordingView } from './transformer.ts';
export { recordingsWithoutSize, waitingRecordings, type WaitingRecordings, waits } from './waiting.ts';
