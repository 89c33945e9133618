import { type ProviderTextTrack, textTrackKinds } from '../meet.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { malformed, unreadable, wrongSecret } from './request/answer.ts';
import type { BigBlueButtonConnection } from './request/call-api.ts';
import { isWebAddress } from './recordings.ts';
import { memberOf, parseJson } from './request/json.ts';
import { signedUrl } from './request/signed-request.ts';

/** `JSON.parse` is synchronous, so more would block the event loop. */
const maximumBytes = 256 * 1024;

/** Reads the text tracks of a recording. This is one of the few calls that return JSON. */
export async function textTracks(
  connection: BigBlueButtonConnection,
  recordingId: string,
): Promise<ProviderTextTrack[]> {
  const { providerId, signer, transport, breaker } = connection;
  const url = signedUrl(signer, 'getRecordingTextTracks', { recordID: recordingId });
  return await breaker.run(async () => {
    const answer = await transport.send(providerId, {
      url,
      form: null,
      accept: 'application/json',
      maximumBytes,
    });
    const content = parseJson(answer.text);
    if (content === null) throw unreadable(providerId, answer);
    const response = memberOf(content, 'response');
    const key = memberOf(response, 'messageKey');
    if (memberOf(response, 'returncode') === 'SUCCESS') return readTracks(memberOf(response, 'tracks'));
    // A recording without tracks and a server without text tracks are not failures.
    if (key === 'noRecordings' || key === 'unsupportedRequest') return [];
    if (memberOf(response, 'returncode') !== 'FAILED') throw malformed(providerId);
    if (key === 'checksumError') throw new ProviderFailure('checksum', providerId, wrongSecret, { messageKey: key });
    throw new ProviderFailure('refused', providerId, 'The provider does not return text tracks.', {
      messageKey: typeof key === 'string' ? key.slice(0, 100) : null,
    });
  });
}

function readTracks(tracks: unknown): ProviderTextTrack[] {
  return Array.isArray(tracks) ? tracks.flatMap((track: unknown) => readTrack(track) ?? []) : [];
}

function readTrack(track: unknown): ProviderTextTrack | null {
  const [url, language] = [textOf(track, 'href'), textOf(track, 'lang')];
  const kind = textTrackKinds.find((candidate) => candidate === memberOf(track, 'kind'));
  if (kind === undefined || !isWebAddress(url) || !/^[A-Za-z0-9-]{2,35}$/.test(language)) return null;
  const source = textOf(track, 'source');
  return { kind, language, label: textOf(track, 'label').slice(0, 200), source: source.slice(0, 50) || null, url };
}

function textOf(value: unknown, name: string): string {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : '';
}
