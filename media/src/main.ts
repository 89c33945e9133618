import { readConfig } from './config.ts';
import { startMedia } from './index.ts';

const result = readConfig(process.env);
if ('faults' in result) {
  for (const fault of result.faults) console.error(fault);
  process.exitCode = 2;
} else {
  try {
    const media = await startMedia(result.config);
    const stop = () => void media.close();
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
    // The end of the pipe means that the platform process has ended.
    if (process.env['FOYER_MEDIA_STOPS_WITH_STDIN'] === 'true')
      process.stdin.once('end', () => process.exit(0)).resume();
    console.log(JSON.stringify({ media: media.url, rtmp: media.rtmpUrl, rtmps: media.rtmpsUrl }));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    console.error(
      code === 'EADDRINUSE'
        ? `The port is already in use. Set FOYER_MEDIA_PORT or FOYER_MEDIA_RTMP_PORT to another port.`
        : `The media server could not start: ${String(error)}`,
    );
    // Open handles must not keep the process running.
    process.exit(1);
  }
}
