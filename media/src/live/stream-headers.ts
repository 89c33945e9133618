import { readAacConfig } from './media/aac.ts';
import { readAvcConfig } from './media/avc.ts';
import type { FlvTag } from './media/flv.ts';
import { readFrame } from './media/frame.ts';
import { encodeAmf } from './rtmp/amf0.ts';

/** The latest headers of video and audio, which a decoder needs before the first frame. */
export interface StreamHeaders {
  readonly video: FlvTag | null;
  readonly audio: FlvTag | null;
  /** Stores the tag if it is a header. */
  store(tag: FlvTag): void;
  tags(timestamp: number): FlvTag[];
  clear(): void;
}

export function createStreamHeaders(): StreamHeaders {
  let video: FlvTag | null = null;
  let audio: FlvTag | null = null;
  return {
    get video() {
      return video;
    },
    get audio() {
      return audio;
    },
    store(tag) {
      const { kind } = readFrame(tag);
      if (kind === 'video-config') video = tag;
      else if (kind === 'audio-config') audio = tag;
    },
    tags: (timestamp) => [
      { type: 'data', timestamp, payload: metadata(video, audio) },
      ...[video, audio].flatMap((tag) => (tag ? [{ ...tag, timestamp }] : [])),
    ],
    clear() {
      [video, audio] = [null, null];
    },
  };
}

function metadata(video: FlvTag | null, audio: FlvTag | null): Buffer {
  const avc = video && readAvcConfig(video.payload.subarray(5));
  const aac = audio && readAacConfig(audio.payload.subarray(2));
  return encodeAmf('@setDataFrame', 'onMetaData', {
    ...(avc && { width: avc.width, height: avc.height, videocodecid: 7 }),
    ...(aac && { audiocodecid: 10, audiosamplerate: aac.sampleRate, stereo: aac.channels === 2 }),
  });
}
