import type { ServerResponse } from 'node:http';
import { notFound, Refusal } from '../http/answer.ts';
import { type Call, openRoute, type Route } from '../http/route.ts';
import type { Disk } from '../storage/disk.ts';
import type { VideoStore } from '../videos/video-store.ts';
import { readUploadToken } from './upload-token.ts';
import { type Uploads, uploadsPath } from './uploads.ts';

export interface UploadServices {
  readonly secret: string;
  readonly uploads: Uploads;
  readonly videos: VideoStore;
  readonly disk: Disk;
}

/** The endpoint where browsers upload videos. */
export function uploadRoutes({ secret, uploads, videos, disk }: UploadServices): Route[] {
  const path = `${uploadsPath}/:token`;
  const grantOf = ({ params, response }: Call) => {
    // Pages of the platform can also read error answers.
    allowBrowsers(response);
    const grant = readUploadToken(secret, params['token'] ?? '', Date.now());
    if (!videos.find(grant.videoId)) throw notFound('The upload');
    return grant;
  };
  const transfer = async (call: Call) => {
    const grant = grantOf(call);
    const { state } = videos.find(grant.videoId) ?? {};
    // The file of a complete upload has been moved, so the upload library no longer finds it.
    if (state !== 'awaiting-upload' && state !== 'uploading') return answerComplete(call, grant.sizeBytes);
    if (call.request.method === 'PATCH') await disk.requireSpace(0);
    await uploads.handle(grant, call.request, call.response);
  };
  return [
    openRoute('OPTIONS', path, async (call) => {
      await uploads.handle(grantOf(call), call.request, call.response);
    }),
    openRoute('POST', path, (call) => answerCreation(call, grantOf(call).sizeBytes)),
    openRoute('HEAD', path, transfer),
    openRoute('PATCH', path, transfer),
  ];
}

/** Answers a creation request of tus: the upload already exists at the address of the request. */
function answerCreation({ request, response }: Call, sizeBytes: number): void {
  if (Number(request.headers['upload-length']) !== sizeBytes)
    throw new Refusal(
      422,
      'upload-length',
      `Upload-Length must be ${sizeBytes}, the size with which the video was created.`,
    );
  response
    .writeHead(201, {
      location: request.url ?? '',
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-length': 0,
    })
    .end();
}

function answerComplete({ request, response }: Call, sizeBytes: number): void {
  const hasWrongOffset = request.method === 'PATCH' && Number(request.headers['upload-offset']) !== sizeBytes;
  response
    .writeHead(hasWrongOffset ? 409 : request.method === 'HEAD' ? 200 : 204, {
      'tus-resumable': '1.0.0',
      'upload-offset': sizeBytes,
      'upload-length': sizeBytes,
      'cache-control': 'no-store',
    })
    .end();
}

function allowBrowsers(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', 'Location, Upload-Offset, Upload-Length, Tus-Resumable');
}
