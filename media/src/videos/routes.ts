import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Programs } from '../ffmpeg/locate.ts';
import type { Isolation } from '../ffmpeg/isolation.ts';
import { runConfined } from '../ffmpeg/run.ts';
import { invalid, notFound, Refusal, sendEmpty, sendJson } from '../http/answer.ts';
import { requireCallback, requireUuid, requireWhole, readWholeOrNull } from '../http/json-members.ts';
import { type Call, type Route, signedRoute } from '../http/route.ts';
import { replaceFile } from '../storage/json-file.ts';
import { signUpload } from '../uploads/upload-token.ts';
import type { Archive } from '../storage/archive.ts';
import type { Copies } from '../uploads/copies.ts';
import { type Uploads, uploadsPath } from '../uploads/uploads.ts';
import { readCaptions } from './captions.ts';
import { ownPosterCommand } from './commands.ts';
import type { Disk } from '../storage/disk.ts';
import type { VideoQueue } from './queue.ts';
import { newVideo, printVideo, type VideoRecord } from './video.ts';
import type { VideoStore } from './video-store.ts';

export interface VideoServices {
  readonly secret: string;
  readonly publicUrl: string;
  readonly programs: Programs;
  readonly isolation: Isolation;
  readonly videos: VideoStore;
  readonly uploads: Uploads;
  readonly copies: Copies;
  readonly queue: VideoQueue;
  readonly disk: Disk;
  readonly archive: Archive;
}

const maxCaptionsBytes = 2 * 1024 * 1024;
const maxPosterBytes = 10 * 1024 * 1024;
const maxCaptions = 50;

/** Demuxers of a single picture, by media type. */
const demuxers: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpeg_pipe',
  'image/png': 'png_pipe',
  'image/webp': 'webp_pipe',
};

export function videoRoutes(services: VideoServices): Route[] {
  const { videos, uploads, copies, queue, archive } = services;
  const requireVideo = ({ params }: Call): VideoRecord => {
    const video = videos.find(requireUuid(params['video_id'], 'video_id'));
    if (!video) throw notFound('The video');
    return video;
  };
  const sendVideo = ({ response }: Call, video: VideoRecord) => sendJson(response, 200, printVideo(video));
  return [
    signedRoute('GET', '/v1/videos', ({ response, query }) => {
      const ids = query.get('ids')?.split(',') ?? null;
      const roomId = query.get('room_id');
      const matches = ids
        ? ids.flatMap((id) => videos.find(id) ?? [])
        : videos.all().filter((video) => roomId === null || video.roomId === roomId);
      sendJson(response, 200, { videos: matches.map(printVideo) });
    }),
    signedRoute('GET', '/v1/videos/:video_id', (call) => sendVideo(call, requireVideo(call))),
    signedRoute('PUT', '/v1/videos/:video_id', (call) => prepareUpload(services, call)),
    signedRoute('POST', '/v1/videos/:video_id/copy', async (call) => {
      const video = await addVideo(services, call, requireSource(call.json()['source_url']));
      copies.start(video.videoId);
      sendVideo(call, video);
    }),
    signedRoute('DELETE', '/v1/videos/:video_id', async ({ params, response }) => {
      const videoId = requireUuid(params['video_id'], 'video_id');
      // Only finished videos are in the object storage.
      if (videos.find(videoId)?.state === 'ready') await archive.removeMedia(videos.directoryOf(videoId));
      await videos.remove(videoId);
      await copies.cancel(videoId);
      await queue.cancel(videoId);
      await uploads.remove(videoId);
      // Removes the files that the cancelled run has written.
      await rm(videos.directoryOf(videoId), { recursive: true, force: true });
      sendEmpty(response);
    }),
    signedRoute('PUT', '/v1/videos/:video_id/hidden', async ({ params, response, json }) => {
      const video = videos.find(requireUuid(params['video_id'], 'video_id'));
      if (video) await videos.change(video, { isHidden: json()['hidden'] === true });
      sendEmpty(response);
    }),
    signedRoute('POST', '/v1/videos/:video_id/retry', async (call) => {
      const video = requireVideo(call);
      if (video.state === 'failed' && video.receivedBytes === video.sizeBytes) {
        await videos.change(video, { state: 'queued', failure: null, progress: 0, queuedAtMs: Date.now() });
        queue.wake();
      }
      sendVideo(call, video);
    }),
    signedRoute('PUT', '/v1/videos/:video_id/poster', (call) => putPoster(services, requireVideo(call), call), {
      maximumBytes: maxPosterBytes,
    }),
    signedRoute(
      'PUT',
      '/v1/videos/:video_id/captions/:language',
      async (call) => {
        const video = requireVideo(call);
        const language = requireLanguage(call);
        const text = readCaptions(call.request.headers['content-type'] ?? '', call.body);
        const label = (call.query.get('label') || language).slice(0, 100);
        const others = video.captions.filter((track) => track.language !== language);
        if (others.length >= maxCaptions) throw invalid(`A video can have captions in ${maxCaptions} languages.`);
        await replaceFile(join(videos.directoryOf(video.videoId), 'captions', `${language}.vtt`), text);
        await videos.change(video, { captions: [...others, { language, label }] });
        sendVideo(call, video);
      },
      { maximumBytes: maxCaptionsBytes },
    ),
    signedRoute('DELETE', '/v1/videos/:video_id/captions/:language', async (call) => {
      const video = requireVideo(call);
      const language = requireLanguage(call);
      await videos.change(video, { captions: video.captions.filter((track) => track.language !== language) });
      const path = join(videos.directoryOf(video.videoId), 'captions', `${language}.vtt`);
      await rm(path, { force: true });
      await archive.remove(path);
      sendVideo(call, video);
    }),
  ];
}

async function prepareUpload(services: VideoServices, call: Call): Promise<void> {
  const { uploads, secret, publicUrl } = services;
  const video = await addVideo(services, call, null);
  const { videoId, sizeBytes, expiresAtMs } = video;
  if (video.state === 'awaiting-upload') await uploads.prepare(videoId, sizeBytes);
  const token = signUpload(secret, { videoId, sizeBytes, expiresAtMs });
  sendJson(call.response, 200, { upload_url: `${publicUrl}${uploadsPath}/${token}`, expires_at_ms: expiresAtMs });
}

/** Adds the video, or finds it if the request is repeated. Its file is uploaded or copied afterwards. */
async function addVideo(
  { videos, disk }: VideoServices,
  { params, json }: Call,
  sourceUrl: string | null,
): Promise<VideoRecord> {
  const body = json();
  const videoId = requireUuid(params['video_id'], 'video_id');
  const sizeBytes = requireWhole(body, 'size_bytes');
  if (sizeBytes === 0) throw invalid('size_bytes must be at least 1.');
  if (!videos.find(videoId)) await disk.requireSpace(sizeBytes + reservedBytes(videos));
  const video = await videos.add(
    newVideo({
      videoId,
      roomId: requireUuid(body['room_id'], 'room_id'),
      sizeBytes,
      callbackUrl: requireCallback(body),
      expiresAtMs: requireWhole(body, 'expires_at_ms'),
      maximumSeconds: readWholeOrNull(body, 'max_duration_seconds'),
      sourceUrl,
    }),
  );
  if (video.sizeBytes !== sizeBytes) throw new Refusal(409, 'other-size', 'The video was created with another size.');
  if ((video.sourceUrl === null) !== (sourceUrl === null))
    throw new Refusal(409, 'other-source', 'The video was created with another source.');
  return video;
}

/** The platform chooses the address, so private networks are allowed. @throws Refusal 422 */
function requireSource(value: unknown): string {
  if (typeof value === 'string' && value.length <= 4096 && /^https?:\/\/[^/]/.test(value)) return value;
  throw invalid('source_url must be an http address.');
}

/** The bytes that are reserved for running uploads. */
function reservedBytes(videos: VideoStore): number {
  return videos
    .all()
    .filter(({ state }) => state === 'awaiting-upload' || state === 'uploading')
    .reduce((sum, { sizeBytes, receivedBytes }) => sum + sizeBytes - receivedBytes, 0);
}

async function putPoster(services: VideoServices, video: VideoRecord, call: Call): Promise<void> {
  const { videos, programs, isolation } = services;
  const demuxer = demuxers[call.request.headers['content-type'] ?? ''];
  if (demuxer === undefined) throw new Refusal(415, 'media-type', 'A poster is a JPEG, PNG or WebP picture.');
  const directory = videos.directoryOf(video.videoId);
  const [input, output] = [`poster-${randomUUID()}`, `poster-${randomUUID()}.jpg`];
  try {
    await writeFile(join(directory, input), call.body);
    const confinement = { isolation, directory, timeoutSeconds: 30 };
    const command = ownPosterCommand(input, demuxer, output);
    const { exitCode } = await runConfined(programs.ffmpeg.path, command, confinement);
    if (exitCode !== 0) throw invalid('The picture cannot be read.');
    await rename(join(directory, output), join(directory, 'poster.jpg'));
  } finally {
    await rm(join(directory, input), { force: true });
    await rm(join(directory, output), { force: true });
  }
  await videos.change(video, { hasPoster: true, hasOwnPoster: true });
  sendJson(call.response, 200, printVideo(video));
}

/** Such as `pt-BR`; it becomes part of a file name. @throws Refusal 422 */
function requireLanguage({ params }: Call): string {
  const { language = '' } = params;
  if (/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/.test(language)) return language;
  throw invalid('The language must be a tag such as en or pt-BR.');
}
