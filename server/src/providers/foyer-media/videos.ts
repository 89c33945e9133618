import {
  type FileContent,
  type Upload,
  type UploadPlan,
  type VideoState,
  videoStates,
  type VideoStore,
} from '../media.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { requestMedia, type Json, type MediaConnection } from './connection.ts';
import { listIn, numberOf, objectOf, textOf, wholeOf, wordOf } from './members.ts';

export function videosOf(connection: MediaConnection): VideoStore {
  const change = async (method: 'PUT' | 'POST' | 'DELETE', path: string, file?: FileContent) =>
    requireVideo(
      connection,
      await requestMedia(connection, { method, path: `/v1/videos/${path}`, ...(file && { file }) }),
    );
  return {
    prepare: (plan) => prepareUpload(connection, plan),
    async copy(plan, sourceUrl) {
      const json = { ...uploadBody(plan), source_url: sourceUrl };
      const path = `/v1/videos/${plan.videoId}/copy`;
      return requireVideo(connection, await requestMedia(connection, { method: 'POST', path, json }));
    },
    async find(videoIds) {
      if (videoIds.length === 0) return [];
      const path = `/v1/videos?ids=${videoIds.join(',')}`;
      const answer = await requestMedia(connection, { method: 'GET', path });
      return listIn(answer, 'videos').flatMap((video) => readVideo(video) ?? []);
    },
    async remove(videoId) {
      await requestMedia(connection, { method: 'DELETE', path: `/v1/videos/${videoId}` });
    },
    async setHidden(videoId, isHidden) {
      const json = { hidden: isHidden };
      await requestMedia(connection, { method: 'PUT', path: `/v1/videos/${videoId}/hidden`, json });
    },
    retry: (videoId) => change('POST', `${videoId}/retry`),
    setPoster: (videoId, image) => change('PUT', `${videoId}/poster`, image),
    setCaptions: (videoId, language, label, file) =>
      change('PUT', `${videoId}/captions/${language}?label=${encodeURIComponent(label)}`, file),
    removeCaptions: (videoId, language) => change('DELETE', `${videoId}/captions/${language}`),
  };
}

async function prepareUpload(connection: MediaConnection, plan: UploadPlan): Promise<Upload> {
  const answer = await requestMedia(connection, {
    method: 'PUT',
    path: `/v1/videos/${plan.videoId}`,
    json: uploadBody(plan),
  });
  const url = textOf(answer, 'upload_url');
  if (url === null)
    throw new ProviderFailure('malformed', connection.providerId, 'The media server did not return an upload address.');
  return { url, expiresAtMs: numberOf(answer, 'expires_at_ms') ?? plan.expiresAtMs };
}

function uploadBody({ roomId, sizeBytes, callbackUrl, expiresAtMs }: UploadPlan): Json {
  return { room_id: roomId, size_bytes: sizeBytes, callback_url: callbackUrl, expires_at_ms: expiresAtMs };
}

function requireVideo({ providerId }: MediaConnection, json: Json): VideoState {
  const video = readVideo(json);
  if (!video) throw new ProviderFailure('malformed', providerId, 'The media server did not describe the video.');
  return video;
}

/** Null if it is not a video. */
export function readVideo(json: Json): VideoState | null {
  const videoId = textOf(json, 'video_id');
  if (videoId === null) return null;
  const failure = objectOf(json, 'failure');
  return {
    videoId,
    revision: wholeOf(json, 'revision'),
    state: wordOf(json, 'state', videoStates, 'queued'),
    progress: Math.min(100, wholeOf(json, 'progress')),
    failure: failure && { code: textOf(failure, 'code') ?? 'failed', message: textOf(failure, 'message') ?? '' },
    durationSeconds: numberOf(json, 'duration_seconds'),
    width: numberOf(json, 'width'),
    height: numberOf(json, 'height'),
    sizeBytes: wholeOf(json, 'size_bytes'),
    storedBytes: wholeOf(json, 'stored_bytes'),
    isPlayable: json['playable'] === true,
    renditions: listIn(json, 'renditions').map((rendition) => ({
      height: wholeOf(rendition, 'height'),
      bitrate: wholeOf(rendition, 'bitrate'),
      codec: textOf(rendition, 'codec') ?? '',
    })),
    captions: listIn(json, 'captions').map((track) => ({
      language: textOf(track, 'language') ?? 'und',
      label: textOf(track, 'label') ?? '',
    })),
    hasPoster: json['has_poster'] === true,
    hasSprite: json['has_sprite'] === true,
  };
}
