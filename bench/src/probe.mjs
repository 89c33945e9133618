// Preloaded into measured processes to report their resource usage.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

const session = new Session();

/** @type {Record<string, (file: string) => unknown>} */
const commands = {
  usage: () => {
    const { user, system } = process.cpuUsage();
    return { cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss() };
  },
  startProfile: async () => {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 200 });
    await session.post('Profiler.start');
  },
  endProfile: async (file) => {
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    writeFileSync(file, JSON.stringify(profile));
  },
};

process.on('message', (/** @type {{ number: number, command: string, file: string }} */ { number, command, file }) => {
  void Promise.resolve(commands[command]?.(file)).then((result) => process.send?.({ number, result: result ?? null }));
});
// The probe must not keep the process alive.
process.channel?.unref();
