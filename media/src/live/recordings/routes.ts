import { constants } from 'node:fs';
import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { notFound, Refusal, sendEmpty, sendJson } from '../../http/answer.ts';
import { requireCallback, requireUuid } from '../../http/members.ts';
import { type Call, type Route, signedRoute } from '../../http/route.ts';
import type { Uploads } from '../../uploads/uploads.ts';
import { newVideo, printVideo } from '../../videos/video.ts';
import type { VideoStore } from '../../videos/video-store.ts';
import { printRecording, type RecordingRecord, type Recordings } from './recording.ts';

export interface RecordingRoutes {
  readonly recordings: Recordings;
  readonly videos: VideoStore;
  readonly uploads: Uploads;
}

export function recordingRoutes({ recordings, videos, uploads }: RecordingRoutes): Route[] {
  const requireRecording = ({ params }: Call): RecordingRecord => {
    const record = recordings.find(requireUuid(params['recording_id'], 'recording_id'));
    if (!record) throw notFound('The recording');
    return record;
  };
  return [
    signedRoute('GET', '/v1/recordings', ({ response, query }) => {
      const roomId = query.get('room_id');
      const found = recordings.all().filter((record) => roomId === null || record.roomId === roomId);
      sendJson(response, 200, { recordings: found.map(printRecording) });
    }),
    signedRoute('GET', '/v1/recordings/:recording_id', (call) =>
      sendJson(call.response, 200, printRecording(requireRecording(call))),
    ),
    signedRoute('DELETE', '/v1/recordings/:recording_id', async ({ params, response }) => {
      const recordingId = requireUuid(params['recording_id'], 'recording_id');
      if (recordings.find(recordingId)?.state === 'recording')
        throw new Refusal(409, 'recording', 'The session is still being recorded.');
      await recordings.remove(recordingId);
      sendEmpty(response);
    }),
    signedRoute('POST', '/v1/recordings/:recording_id/copy-to-video', async (call) => {
      const record = requireRecording(call);
      if (record.state !== 'ready') throw new Refusal(409, 'not-ready', 'The recording is not ready yet.');
      const json = call.json();
      const videoId = requireUuid(json['video_id'], 'video_id');
      const plan = {
        videoId,
        roomId: requireUuid(json['room_id'], 'room_id'),
        sizeBytes: record.sizeBytes,
        callbackUrl: requireCallback(json),
        expiresAtMs: Date.now() + 86_400_000,
        maximumSeconds: null,
      };
      const video = await videos.add(newVideo(plan));
      if (video.state === 'awaiting-upload') {
        const directory = videos.directoryOf(videoId);
        // A copy that shares its blocks, where the file system can do that.
        await copyFile(
          recordings.fileOf(record.recordingId),
          join(directory, 'source.draft'),
          constants.COPYFILE_FICLONE,
        );
        await rename(join(directory, 'source.draft'), join(directory, 'source'));
        await uploads.complete(videoId);
      }
      sendJson(call.response, 200, printVideo(video));
    }),
  ];
}
