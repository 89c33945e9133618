import { statfs } from 'node:fs/promises';
import type { MediaConfig } from './config.ts';
import type { Programs } from './ffmpeg/locate.ts';
import type { Isolation } from './ffmpeg/run.ts';
import { sendJson } from './http/answer.ts';
import { type Route, signedRoute } from './http/route.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { VideoQueue } from './videos/queue.ts';

export interface ServerFacts {
  readonly config: MediaConfig;
  readonly programs: Programs;
  readonly isolation: Isolation;
  readonly sessions: Sessions;
  readonly queue: VideoQueue;
  readonly publicUrl: string;
}

/** Below this the server accepts no more uploads and says so. */
const leastFreeBytes = 500_000_000;

export function serverRoutes({ config, programs, isolation, sessions, queue, publicUrl }: ServerFacts): Route[] {
  return [
    signedRoute('GET', '/v1/server', async ({ response }) => {
      const { bavail, bsize, blocks } = await statfs(config.dataDir);
      const disk = { free_bytes: bavail * bsize, total_bytes: blocks * bsize };
      const all = sessions.all();
      sendJson(response, 200, {
        name: 'foyer-media',
        version: '0.1.0',
        now_ms: Date.now(),
        ffmpeg: programs.ffmpeg,
        public_url: publicUrl,
        rtmp_url: config.rtmpUrl,
        sessions: all.length,
        viewers: all.reduce((sum, { viewers }) => sum + viewers.size, 0),
        transcodes: { running: queue.running, queued: queue.queued },
        isolation,
        disk,
        storage: 'disk',
        problem: disk.free_bytes < leastFreeBytes ? 'The disk of the media server is almost full.' : null,
      });
    }),
  ];
}
