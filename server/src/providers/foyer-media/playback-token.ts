import { createHmac } from 'node:crypto';
import type { OpenMeeting } from '../meet.ts';
import type { Playback, Viewer } from '../media.ts';
import type { MediaConnection } from './connection.ts';

/** Players renew their address long before it expires. */
export const playbackSeconds = 600;

/** Creates an address that is signed with the secret of the media server. Sends no request. */
export function playbackFor(connection: MediaConnection, session: OpenMeeting, viewer: Viewer): Playback {
  const expiresAtMs = (Math.floor(Date.now() / 1000) + playbackSeconds) * 1000;
  const token = signToken(connection.secret, {
    r: session.meetingId,
    s: session.internalId,
    v: viewer.userId,
    n: viewer.fullName,
    o: viewer.role,
    x: expiresAtMs / 1000,
    k: viewer.mayDownload ? ['play', 'download'] : ['play'],
  });
  const baseUrl = `${connection.publicUrl}/play/${token}/`;
  const path = viewer.videoId === undefined ? 'live' : `videos/${viewer.videoId}`;
  return { baseUrl, hlsUrl: `${baseUrl}${path}/master.m3u8`, expiresAtMs };
}

/** Addresses of pictures stay equal for an hour, so that browsers can cache the picture. */
const imageSeconds = 3600;

export function imageAddress(connection: MediaConnection, roomId: string, videoId: string, name: string): string {
  const hour = Math.floor(Date.now() / 1000 / imageSeconds);
  const token = signToken(connection.secret, {
    r: roomId,
    s: null,
    v: null,
    i: videoId,
    x: (hour + 2) * imageSeconds,
    k: ['image'],
  });
  return `${connection.publicUrl}/play/${token}/videos/${videoId}/${name}`;
}

export function signToken(secret: string, payload: object): string {
  const key = createHmac('sha256', secret).update('foyer-media playback v1').digest();
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}
