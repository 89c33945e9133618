import { printIdentifier, type Uuid } from '../../platform/identifier.ts';

/** Where somebody watches a recording, below the public address of the platform: what a link to it signs. */
export function playbackPath(recordingId: Uuid, type: string): string {
  return `/recordings/${printIdentifier('rec', recordingId)}/playback/${encodeURIComponent(type)}`;
}

export function textTrackPath(recordingId: Uuid, kind: string, language: string): string {
  return `/recordings/${printIdentifier('rec', recordingId)}/text-tracks/${kind}/${encodeURIComponent(language)}`;
}
