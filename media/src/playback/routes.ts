import { join } from 'node:path';
import { notFound, Refusal, sendEmpty, sendJson } from '../http/answer.ts';
import { requireUuid } from '../http/json-members.ts';
import { type Call, openRoute, type Route } from '../http/route.ts';
import { printForPlayers } from '../live/routes.ts';
import type { Streams } from '../live/streams.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { captionsPlaylist, masterPlaylist } from '../videos/playlists.ts';
import type { Archive } from '../storage/archive.ts';
import { isPlayable, type VideoRecord } from '../videos/video.ts';
import type { VideoStore } from '../videos/video-store.ts';
import { playerRoute } from './player-route.ts';
import { allowPlayers, sendFile, sendText } from './send-file.ts';
import { type PlaybackToken, readToken } from './token.ts';

export interface PlaybackServices {
  readonly secret: string;
  readonly sessions: Sessions;
  readonly videos: VideoStore;
  readonly streams: Streams;
  readonly archive: Archive;
}

const segmentCacheSeconds = 86_400;
const pictureCacheSeconds = 600;

/** The files for players. Each request needs a valid token. */
export function playbackRoutes({ secret, sessions, videos, streams, archive }: PlaybackServices): Route[] {
  const tokenOf = ({ params }: Call) => readToken(secret, params['token'] ?? '', Date.now());
  return [
    playerRoute('GET', '/play/:token/videos/:video_id/*', async (call) => {
      const token = tokenOf(call);
      const video = videoOf(videos, token, requireUuid(call.params['video_id'], 'video_id'));
      const { rest = '' } = call.params;
      if (!isPicture(rest)) sessions.countViewer(token);
      else if (!token.actions.has('image')) sessions.countViewer(token);
      await sendVideoFile(call, { video, token, name: rest, directory: videos.directoryOf(video.videoId), archive });
    }),
    playerRoute('POST', '/play/:token/heartbeat', (call) => {
      sessions.countViewer(tokenOf(call));
      sendEmpty(call.response);
    }),
    playerRoute('GET', '/play/:token/state', (call) => {
      // `check` does not count the viewer: a moderator who broadcasts is not watching.
      const session = sessions.check(tokenOf(call));
      sendJson(call.response, 200, printForPlayers(session, streams.find(session.roomId)));
    }),
    openRoute('OPTIONS', '/play/*', ({ response }) => {
      allowPlayers(response);
      response.setHeader('access-control-allow-methods', 'GET, HEAD, POST');
      response.setHeader('access-control-allow-headers', 'range');
      response.setHeader('access-control-max-age', '86400');
      sendEmpty(response);
    }),
  ];
}

function videoOf(videos: VideoStore, { roomId, videoId, actions }: PlaybackToken, requestedId: string): VideoRecord {
  const video = videos.find(requestedId);
  // A token only covers the videos of its own room.
  if (!video || video.roomId !== roomId || (videoId !== null && videoId !== requestedId)) throw notFound('The video');
  // People who manage videos can see the pictures of hidden ones.
  if (video.isHidden && !actions.has('image')) throw notFound('The video');
  return video;
}

function isPicture(name: string): boolean {
  return /^(?:poster\.jpg|sprite\.vtt|sprite-\d{1,3}\.jpg|captions\/[A-Za-z0-9-]{2,40}\.vtt)$/.test(name);
}

/** @param title the title of the video, which the platform adds to the address */
function downloadNameOf(title: string, extension: string | null): string {
  const name = title
    .replaceAll(/[\p{Cc}\p{Cf}/\\:*?"<>|]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[. ]+|[. ]+$/g, '');
  const short = [...name].slice(0, 150).join('');
  return `${short === '' ? 'video' : short}${extension ? `.${extension}` : ''}`;
}

interface FileRequest {
  readonly video: VideoRecord;
  readonly token: PlaybackToken;
  readonly name: string;
  readonly directory: string;
  readonly archive: Archive;
}

async function sendVideoFile(call: Call, { video, token, name, directory, archive }: FileRequest): Promise<void> {
  const [, language = ''] = /^captions\/([A-Za-z0-9-]{2,40})\.(?:m3u8|vtt)$/.exec(name) ?? [];
  if (language !== '' && !video.captions.some((track) => track.language === language)) throw notFound('The captions');
  if (isPicture(name))
    return await sendFile(call, join(directory, name), { name, cacheSeconds: pictureCacheSeconds, archive });
  if (!token.actions.has('play')) throw new Refusal(403, 'token-invalid', 'This address is only for pictures.');
  if (!isPlayable(video)) throw new Refusal(404, 'not-ready', 'The video cannot be played now.');
  if (name === 'download') {
    if (!token.actions.has('download')) throw new Refusal(403, 'download-off', 'This video cannot be downloaded.');
    const downloadName = downloadNameOf(call.query.get('name') ?? '', video.extension);
    return await sendFile(call, join(directory, 'source'), { name, cacheSeconds: 0, downloadName, archive });
  }
  if (name === 'master.m3u8') return sendText(call.response, masterPlaylist(video), name);
  if (language !== '') return sendText(call.response, captionsPlaylist(language, video.durationSeconds ?? 0), name);
  const [, rendition = ''] = /^(\d{1,4}|audio)\/(?:index\.m3u8|init\.mp4|seg_\d{5}\.m4s)$/.exec(name) ?? [];
  const exists =
    rendition === 'audio' ? video.hasAudio : video.renditions.some(({ height }) => String(height) === rendition);
  if (!exists) throw notFound('The file');
  await sendFile(call, join(directory, name), { name, cacheSeconds: segmentCacheSeconds, archive });
}
