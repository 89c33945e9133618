import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import { type MediaHarness, playbackToken } from './harness.ts';

export const tusHeaders = { 'tus-resumable': '1.0.0' };

export interface Prepared {
  readonly id: string;
  readonly roomId: string;
  readonly url: string;
}

/** The requests of platform, browser and player to a media server about videos. */
export function createVideoCalls(media: () => MediaHarness) {
  async function prepare(size: number, more: Readonly<Record<string, unknown>> = {}): Promise<Prepared> {
    const [id, roomId] = [randomUUID(), randomUUID()];
    const { status, json } = await media().call('PUT', `/v1/videos/${id}`, {
      room_id: roomId,
      size_bytes: size,
      callback_url: media().platform.url,
      expires_at_ms: Date.now() + 3_600_000,
      ...more,
    });
    expect(status).toBe(200);
    return { id, roomId, url: String(json['upload_url']) };
  }

  async function send(url: string, bytes: Uint8Array, offset = 0): Promise<Response> {
    return await fetch(url, {
      method: 'PATCH',
      headers: { ...tusHeaders, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
      body: Buffer.from(bytes),
    });
  }

  async function upload(bytes: Uint8Array, more?: Readonly<Record<string, unknown>>): Promise<Prepared> {
    const prepared = await prepare(bytes.length, more);
    expect((await send(prepared.url, bytes)).status).toBe(204);
    return prepared;
  }

  async function stateOf(id: string): Promise<Record<string, unknown>> {
    return (await media().call('GET', `/v1/videos/${id}`)).json;
  }

  async function waitUntilProcessed(id: string): Promise<Record<string, unknown>> {
    return await vi.waitFor(
      async () => {
        const state = await stateOf(id);
        expect(state['state']).toMatch(/^(?:ready|failed)$/);
        return state;
      },
      { timeout: 60_000 },
    );
  }

  async function openSession(roomId: string): Promise<string> {
    const { json } = await media().call('PUT', `/v1/sessions/${roomId}`, {
      service_type: 'video',
      name: 'Lecture',
      callback_url: media().platform.url,
    });
    return String(json['session_id']);
  }

  /** The base address of the files of the video for a viewer. */
  async function address({ id, roomId }: Prepared, rights: readonly string[] = ['play']): Promise<string> {
    const token = playbackToken({ r: roomId, s: await openSession(roomId), v: randomUUID(), k: rights });
    return `${media().url()}/play/${token}/videos/${id}`;
  }

  return { prepare, send, upload, stateOf, waitUntilProcessed, openSession, address };
}
