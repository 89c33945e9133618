import type { Programs } from './ffmpeg/locate.ts';
import type { Isolation } from './ffmpeg/isolation.ts';
import { sendJson } from './http/answer.ts';
import { type Route, signedRoute } from './http/route.ts';
import type { Streams } from './live/streams.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { Archive } from './storage/archive.ts';
import type { Disk } from './storage/disk.ts';
import type { VideoQueue } from './videos/queue.ts';

export interface ServerFacts {
  readonly programs: Programs;
  readonly isolation: Isolation;
  readonly sessions: Sessions;
  readonly queue: VideoQueue;
  readonly disk: Disk;
  readonly archive: Archive;
  readonly streams: Streams;
  readonly publicUrl: string;
  readonly rtmpUrl: string;
}

export function serverRoutes(facts: ServerFacts): Route[] {
  const { programs, isolation, sessions, queue, disk, archive, streams, publicUrl, rtmpUrl } = facts;
  return [
    signedRoute('GET', '/v1/server', async ({ response }) => {
      const { freeBytes, totalBytes } = await disk.read();
      const all = sessions.all();
      sendJson(response, 200, {
        name: 'foyer-media',
        version: '0.1.0',
        now_ms: Date.now(),
        ffmpeg: programs.ffmpeg,
        public_url: publicUrl,
        rtmp_url: rtmpUrl,
        sessions: all.length,
        streams: streams.all().filter(({ state }) => state !== 'idle').length,
        viewers: all.reduce((sum, { viewers }) => sum + viewers.size, 0),
        transcodes: { running: queue.running, queued: queue.queued },
        isolation: { network: isolation.blocksNetwork, limits: isolation.limitsResources },
        disk: { free_bytes: freeBytes, total_bytes: totalBytes },
        storage: archive.storage ? 's3' : 'disk',
        storage_problem: archive.problem,
        problem: (await disk.hasSpace()) ? null : 'The disk of the media server is almost full.',
      });
    }),
  ];
}
