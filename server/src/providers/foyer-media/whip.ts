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

/** Sends the offer only once, since a second broadcast would be blocked by the first. */
export async function receiveBroadcast(
  { providerId, hostUrl, transport, breaker }: MediaConnection,
  { roomId, streamKey, offer }: Broadcast,
): Promise<BrowserBroadcast> {
  return await breaker.run(async () => {
    const answer = await transport.send(providerId, {
      url: `${hostUrl}/whip/${roomId}`,
      form: null,
      custom: { method: 'POST', content: offer, contentType: 'application/sdp' },
      headers: { authorization: `Bearer ${streamKey}` },
      accept: 'application/json',
      maximumBytes: maxAnswerBytes,
    });
    const id = answer.location?.split('/').at(-1) ?? '';
    if (answer.status === 201 && id !== '') return { id, answer: answer.text };
    if (answer.status === 401) throw wrongStreamKey(providerId);
    readAnswer(providerId, answer);
    throw new ProviderFailure('malformed', providerId, 'The media server did not respond to the offer.');
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

/** The failure for a stream key that was rotated meanwhile. The secret of the media server is right. */
function wrongStreamKey(providerId: string): ProviderFailure {
  return new ProviderFailure('refused', providerId, 'The stream key is wrong.', { messageKey: 'stream-key-wrong' });
}
