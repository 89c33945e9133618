import { lookup } from 'node:dns/promises';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AddressInfo, Server } from 'node:net';
import { createCallbacks } from './callbacks.ts';
import type { MediaConfig } from './config.ts';
import { locatePrograms } from './ffmpeg/locate.ts';
import { findIsolation } from './ffmpeg/isolation.ts';
import { createHttpServer } from './http/server.ts';
import { openRoute, type Route } from './http/route.ts';
import { sendJson } from './http/answer.ts';
import { openRecordings } from './live/recordings/recording.ts';
import { recordingRoutes } from './live/recordings/routes.ts';
import { liveRoutes } from './live/routes.ts';
import { createRtmpServer } from './live/rtmp/rtmp-server.ts';
import { openStreams } from './live/streams.ts';
import { createWhip } from './live/whip/routes.ts';
import { playbackRoutes } from './playback/routes.ts';
import { serverRoutes } from './server-routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { openSessions } from './sessions/sessions.ts';
import { uploadRoutes } from './uploads/routes.ts';
import { openArchive, restoreRecords } from './storage/archive.ts';
import { createS3 } from './storage/s3.ts';
import { watchDisk } from './storage/disk.ts';
import { createCopies } from './uploads/copies.ts';
import { openUploads } from './uploads/uploads.ts';
import { createVideoQueue } from './videos/queue.ts';
import { videoRoutes } from './videos/routes.ts';
import { openVideoStore, type VideoStore } from './videos/video-store.ts';

export type { MediaConfig } from './config.ts';

export interface MediaServer {
  /** The address of its API. */
  readonly url: string;
  /** The address for encoders. */
  readonly rtmpUrl: string;
  /** The RTMPS address for encoders; null without certificates. */
  readonly rtmpsUrl: string | null;
  close(): Promise<void>;
}

/** Starts a media server, which continues the work of an earlier process with the same data directory. */
export async function startMedia(config: MediaConfig): Promise<MediaServer> {
  const { mediaDir } = config;
  await mkdir(config.dataDir, { recursive: true });
  await mkdir(mediaDir, { recursive: true });
  const programs = await locatePrograms(config);
  const callbacks = createCallbacks(config.secret);
  const sessions = await openSessions(config.dataDir, callbacks);
  const isolation = findIsolation();
  const storage = config.s3 && createS3(config.s3);
  if (storage) await restoreRecords(mediaDir, storage);
  const videos = await openVideoStore(mediaDir, callbacks);
  const disk = watchDisk(mediaDir, config.reserveBytes);
  const queue = createVideoQueue({ programs, isolation, callbacks, videos, disk }, config.transcodes);
  const uploads = await openUploads(mediaDir, videos, () => queue.wake());
  const copies = createCopies({ videos, uploads, disk });
  const recordings = await openRecordings({ dataDir: mediaDir, callbacks, programs, isolation, disk });
  const archive = await openArchive({
    mediaDir,
    storage,
    *listFinished() {
      for (const { videoId, state, revision } of videos.all())
        if (state === 'ready') yield { directory: videos.directoryOf(videoId), version: String(revision) };
      for (const { recordingId, state, published, labels } of recordings.all())
        if (state === 'ready')
          yield { directory: dirname(recordings.fileOf(recordingId)), version: JSON.stringify([published, labels]) };
    },
  });
  const ffmpeg = { ffmpegPath: programs.ffmpeg.path, isolation, directory: config.dataDir };
  const streams = await openStreams({
    dataDir: config.dataDir,
    callbacks,
    sessions,
    recordings,
    disk: watchDisk(config.dataDir, config.reserveBytes),
    programs: ffmpeg,
    pull: { ...ffmpeg, isPackaged: programs.ffmpeg.source === 'npm' },
  });
  const routes: Route[] = [openRoute('GET', '/health', ({ response }) => sendJson(response, 200, { ok: true }))];
  const server = createHttpServer({
    secret: config.secret,
    routes,
    onError: (error, path) => console.error(JSON.stringify({ level: 'error', path, error: String(error) })),
  });
  const rtmp = createRtmpServer(streams.open);
  const { address: webRtcHost } = await lookup(config.host);
  const whip = createWhip({
    open: streams.open,
    programs: ffmpeg,
    address: { host: webRtcHost, publicAddress: config.webRtcAddress, ports: config.webRtcPorts },
  });
  const rtmps = config.rtmpsTls && createRtmpServer(streams.open, await readTls(config.rtmpsTls));
  const rtmpsPort = rtmps && (await listen(rtmps, config.rtmpsTls?.port ?? 0, config.host));
  const port = await listen(server, config.port, config.host);
  const rtmpPort = await listen(rtmp, config.rtmpPort, config.host);
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const url = `http://${host}:${port}`;
  const rtmpUrl = config.rtmpUrl ?? `rtmp://${host}:${rtmpPort}/live`;
  const rtmpsUrl = rtmpsPort === null ? null : `rtmps://${host}:${rtmpsPort}/live`;
  const publicUrl = config.publicUrl ?? url;
  const { secret } = config;
  routes.push(
    ...serverRoutes({ programs, isolation, sessions, queue, disk, archive, streams, publicUrl, rtmpUrl }),
    ...sessionRoutes(sessions),
    ...videoRoutes({ secret, publicUrl, programs, isolation, videos, uploads, copies, queue, disk, archive }),
    ...uploadRoutes({ secret, uploads, videos, disk }),
    ...playbackRoutes({ secret, sessions, videos, streams, archive }),
    ...whip.routes,
    ...liveRoutes({ secret, sessions, streams }),
    ...recordingRoutes(secret, recordings, archive),
  );
  // An earlier process may have died between the last byte of an upload and its processing.
  for (const { videoId } of videos.all()) {
    await uploads.complete(videoId);
    copies.start(videoId);
  }
  queue.wake();
  archive.wake();
  const expiry = setInterval(() => void removeExpired(videos, uploads.remove).catch(() => {}), 60_000);
  return {
    url,
    rtmpUrl,
    rtmpsUrl,
    async close() {
      rtmp.close();
      rtmps?.close();
      whip.close();
      streams.close();
      server.close();
      server.closeAllConnections();
      clearInterval(expiry);
      await archive.close();
      await copies.close();
      await recordings.close();
      await queue.close();
      await sessions.close();
      await callbacks.close();
    },
  };
}

async function readTls({ certPath, keyPath }: NonNullable<MediaConfig['rtmpsTls']>) {
  return { cert: await readFile(certPath), key: await readFile(keyPath) };
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Removes videos whose upload was not completed in time. */
async function removeExpired(videos: VideoStore, removeUpload: (videoId: string) => Promise<void>): Promise<void> {
  for (const { videoId, state, expiresAtMs } of videos.all()) {
    if ((state !== 'awaiting-upload' && state !== 'uploading') || Date.now() < expiresAtMs) continue;
    await videos.remove(videoId);
    await removeUpload(videoId);
  }
}
