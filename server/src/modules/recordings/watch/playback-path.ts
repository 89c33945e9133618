import { roomRoles } from '@foyer/contract/resources/room.ts';
import { printIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';

/** Where somebody watches a recording, below the public address of the platform: what a link to it signs. */
export function playbackPath(recordingId: Uuid, type: string): string {
  return `/recordings/${printIdentifier('rec', recordingId)}/playback/${encodeURIComponent(type)}`;
}

/** As whom visitors of a room's page watch: a link that they are given is good as long as these may. */
export const viewers = [...roomRoles, 'anybody'] as const;
export type Viewer = (typeof viewers)[number];

/** The same for a visitor of the room's page. */
export function visitorPath(recordingId: Uuid, type: string, viewer: Viewer): string {
  return `${playbackPath(recordingId, type)}?as=${viewer}`;
}

export function textTrackPath(recordingId: Uuid, kind: string, language: string): string {
  return `/recordings/${printIdentifier('rec', recordingId)}/text-tracks/${kind}/${encodeURIComponent(language)}`;
}
