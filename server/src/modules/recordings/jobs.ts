export { expireRecordings } from './expire-recordings.ts';
export { syncRecordings } from './sync-recordings.ts';
