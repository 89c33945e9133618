import { Refusal } from '../../http/answer.ts';

/** The data of an SDP offer that is needed before a connection is created. */
export interface Offer {
  readonly sdp: string;
  readonly hasH264: boolean;
}

const maxLines = 2000;
const maxMedia = 8;

/** @throws Refusal 400 if it is not SDP, 422 if the server does not support the offered media */
export function readOffer(text: string): Offer {
  const lines = text.split(/\r?\n/);
  if (!text.startsWith('v=0') || lines.length > maxLines || !/^a=ice-ufrag:\S{4,256}$/m.test(text))
    throw new Refusal(400, 'offer-damaged', 'The body is not an SDP offer of WebRTC.');
  const mediaLines = lines.filter((line) => line.startsWith('m='));
  if (mediaLines.length === 0 || mediaLines.length > maxMedia || !/^a=fingerprint:/m.test(text))
    throw new Refusal(400, 'offer-damaged', 'The SDP offer has no media, or no fingerprint.');
  if (mediaLines.filter((line) => line.startsWith('m=video')).length > 1)
    throw new Refusal(422, 'too-many-tracks', 'Send only one video track: the camera or the screen.');
  const codecs = new Set(
    [...text.matchAll(/^a=rtpmap:\d+ (h264|vp8)\/90000/gim)].map(([, name]) => name?.toLowerCase()),
  );
  if (codecs.size === 0)
    throw new Refusal(422, 'video-codec', 'The offer has neither H.264 nor VP8. Set the video codec to H.264.');
  return { sdp: removeCandidates(lines), hasH264: codecs.has('h264') };
}

/** The server only answers (ICE lite): it never connects to an address in an offer. */
function removeCandidates(lines: readonly string[]): string {
  return lines.filter((line) => !/^a=(?:candidate|end-of-candidates)/.test(line)).join('\r\n');
}
