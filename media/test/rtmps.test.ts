import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCertificate } from './certificate.ts';
import { type MediaHarness, startMediaProcess } from './harness.ts';
import { createLiveRoom, startEncoder } from './live-harness.ts';

let directory: string;
let media: MediaHarness;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'foyer-rtmps-'));
  const { cert, key } = await createCertificate(directory);
  media = await startMediaProcess({
    FOYER_MEDIA_TLS_CERT: cert,
    FOYER_MEDIA_TLS_KEY: key,
    FOYER_MEDIA_RTMPS_PORT: '0',
  });
});
afterAll(async () => {
  await media.close();
  await rm(directory, { recursive: true });
});

test('RTMPS checks the key and the running broadcast like RTMP', async () => {
  const room = await createLiveRoom(media);
  const withWrongKey = await startEncoder(`${media.rtmpsUrl()}/${room.key}x`);
  expect((await withWrongKey.ended).code).not.toBe(0);
  const encoder = await startEncoder(`${media.rtmpsUrl()}/${room.key}`);
  try {
    await room.waitForState({ state: 'live' });
    const second = await startEncoder(`${media.rtmpUrl()}/${room.key}`);
    expect((await second.ended).code).not.toBe(0);
  } finally {
    await encoder.stop();
  }
});

test('the RTMPS port rejects RTMP without TLS, and TLS older than 1.2', async () => {
  const room = await createLiveRoom(media);
  const plain = await startEncoder(`${media.rtmpsUrl().replace('rtmps:', 'rtmp:')}/${room.key}`);
  expect((await plain.ended).code).not.toBe(0);
  const { hostname: host, port } = new URL(media.rtmpsUrl());
  const outdatedClient = connect({
    host,
    port: Number(port),
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
    rejectUnauthorized: false,
  });
  await expect(once(outdatedClient, 'secureConnect')).rejects.toThrow();
});
