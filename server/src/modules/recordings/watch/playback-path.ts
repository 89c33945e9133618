import { roomRoles } from '@foyer/contract/resources/rooms/room.ts';
import { printIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';

/** The path of a recording's playback page. Playback links sign this path. */
export function playbackPath(recordingId: Uuid, type: string): string {
  return `/recordings/${printIdentifier('rec', recordingId)}/playback/${encodeURIComponent(type)}`;
}

/** The kinds of visitors of a room page. A link for one kind is valid only while visitors of this kind may watch. */
export const viewers = [...roomRoles, 'anybody'] as const;
export type Viewer = (typeof viewers)[number];

/** The path of the playback page for a visitor of the room's page. */
export function visitorPath(recordingId: Uuid, type: string, viewer: Viewer): string {
  return `${playbackPath(recordingId, type)}?as=${viewer}`;
}

export function textTrackPath(recordingId: Uuid, kind: string, language: string): string {
  return `/recordings/${printIdentifier('rec', recordingId)}/text-tracks/${kind}/${encodeURIComponent(language)}`;
}
