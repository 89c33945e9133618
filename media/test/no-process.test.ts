import { expect, test } from 'vitest';
import { createTranscoder } from '../src/live/ladder/transcoder.ts';
import type { FlvTag } from '../src/live/media/flv.ts';
import { createPuller } from '../src/live/pull/puller.ts';
import { createStreamHeaders } from '../src/live/stream-headers.ts';
import { createConverter } from '../src/live/whip/converter.ts';

const programs = {
  // `spawn` throws for such a path, as it does when the system has no resources for another process.
  ffmpegPath: 'ffmpeg\0',
  isolation: { blocksNetwork: false, limitsResources: false },
  directory: '.',
};

test('if no process can be started, the transcoder of a live stream does not interrupt the source', () => {
  const transcoder = createTranscoder(programs, createStreamHeaders(), () => [{ height: 144, push: () => {} }]);
  const keyFrame: FlvTag = { type: 'video', timestamp: 0, payload: Buffer.from([0x17, 1, 0, 0, 0, 0]) };
  expect(() => transcoder.push(keyFrame)).not.toThrow();
  transcoder.close();
});

test('if no process can be started, a broadcast from a browser continues', () => {
  const converter = createConverter(programs, () => {});
  const data = Buffer.alloc(10);
  expect(() => converter.writeVideo({ codec: 'vp8' }, { timestamp: 0, isKey: true, data })).not.toThrow();
  converter.close();
});

test('if no process can be started, the source reports a problem and leaves no open port', async () => {
  const openPorts = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
  const before = openPorts();
  let code: string | undefined;
  const puller = createPuller({
    url: 'rtmp://127.0.0.1/live/key',
    arePrivateAddressesAllowed: true,
    programs: { ...programs, isPackaged: false },
    open: () => Promise.reject(new Error('No stream is expected.')),
    onState: (problem) => (code = problem?.code),
  });
  await expect.poll(() => code).toBeDefined();
  puller.close();
  await expect.poll(openPorts).toBe(before);
});
