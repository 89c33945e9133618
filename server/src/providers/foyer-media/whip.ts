import type { BrowserBroadcast } from '../media.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { type MediaConnection, readAnswer } from './connection.ts';
import { isNotFound } from './sessions.ts';

const maxAnswerBytes = 65_536;

interface Broadcast {
  readonly roomId: string;
  readonly streamKey: string;
  readonly offer: string;
}

/** Does not retry: if only the response was lost, the first broadcast would block the second. */
export async function startBroadcast(
  { providerId, hostUrl, transport, breaker }: MediaConnection,
  { roomId, streamKey, offer }: Broadcast,
): Promise<BrowserBroadcast> {
  return await breaker.run(async () => {
    const response = await transport.send(providerId, {
      url: `${hostUrl}/whip/${roomId}`,
      form: null,
      custom: { method: 'POST', content: offer, contentType: 'application/sdp' },
      headers: { authorization: `Bearer ${streamKey}` },
      accept: 'application/json',
      maximumBytes: maxAnswerBytes,
    });
    const id = response.location?.split('/').at(-1) ?? '';
    if (response.status === 201 && id !== '') return { id, answer: response.text };
    if (response.status === 401) throw wrongStreamKey(providerId);
    readAnswer(providerId, response);
    throw new ProviderFailure('malformed', providerId, "The media server's response to the offer has no broadcast id.");
  });
}

export async function disconnectBroadcast(
  { providerId, hostUrl, transport, breaker }: MediaConnection,
  roomId: string,
  broadcastId: string,
): Promise<void> {
  await breaker.run(async () => {
    const answer = await transport.send(providerId, {
      url: `${hostUrl}/whip/${roomId}/${encodeURIComponent(broadcastId)}`,
      form: null,
      custom: { method: 'DELETE', content: null, contentType: 'application/sdp' },
      accept: 'application/json',
    });
    try {
      readAnswer(providerId, answer);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  });
}

/** A 401 here means that the stream key was rotated meanwhile, not that the shared secret is wrong. */
function wrongStreamKey(providerId: string): ProviderFailure {
  return new ProviderFailure('refused', providerId, 'The stream key is wrong.', { messageKey: 'stream-key-wrong' });
}
