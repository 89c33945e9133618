import type { AacConfig } from './media/aac.ts';
import { readAacConfig } from './media/aac.ts';
import { type AvcConfig, readAvcConfig } from './media/avc.ts';
import type { FlvTag } from './media/flv.ts';
import { readFrame } from './media/frame.ts';
import { shorterSide } from '../videos/ladder.ts';

export interface InputFigures {
  readonly width: number | null;
  readonly height: number | null;
  readonly fps: number | null;
  readonly video_kbps: number;
  readonly audio_kbps: number;
  readonly video_codec: string | null;
  readonly audio_codec: string | null;
  readonly keyframe_seconds: number | null;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

export interface InputHealth {
  push(tag: FlvTag): void;
  /** Called each second. */
  tick(nowMs: number): void;
  /** Resets the measurements of the last encoder. */
  restart(nowMs: number): void;
  readonly figures: InputFigures;
  /** The average of the last 5 seconds. */
  readonly kbps: number;
  /** Whether no key frame arrived for too long. */
  readonly lacksKeyFrames: boolean;
}

const windowSeconds = 5;
const maxKeyIntervalSeconds = 4;
const advisedKeyIntervalSeconds = 2.1;
const maxWithoutKeyMs = 15_000;
const minFps = 10;
const highKbps = 20_000;

/** The data that arrived within one second: bytes of video and audio, and video frames. */
interface Second {
  readonly atMs: number;
  video: number;
  audio: number;
  frames: number;
}

export interface InputLimits {
  readonly maxBitrateKbps: number | null;
  readonly maxHeight: number | null;
}

/** Measures the stream of an encoder, and warns about problems. */
export function createInputHealth({ maxBitrateKbps: maximumKbps, maxHeight }: InputLimits): InputHealth {
  let seconds: Second[] = [{ atMs: Date.now(), video: 0, audio: 0, frames: 0 }];
  let avc: AvcConfig | null = null;
  let aac: AacConfig | null = null;
  let lastKeyMs: number | null = null;
  let keyIntervalSeconds: number | null = null;
  let firstVideoMs: number | null = null;
  let lastVideoMs = 0;
  let lastArrivalMs = Date.now();

  const rate = (sum: (second: Second) => number) => {
    const full = seconds.slice(0, -1);
    const [first] = full;
    const spanMs = first ? (seconds.at(-1)?.atMs ?? 0) - first.atMs : 0;
    return spanMs > 0 ? full.reduce((total, second) => total + sum(second), 0) / (spanMs / 1000) : 0;
  };
  const kbps = (sum: (second: Second) => number) => Math.round((rate(sum) * 8) / 1000);

  function warnings(): { code: string; message: string }[] {
    const list: { code: string; message: string }[] = [];
    const warn = (code: string, message: string) => void list.push({ code, message });
    const total = kbps((second) => second.video + second.audio);
    const sinceKeySeconds = lastKeyMs === null ? null : (lastVideoMs - lastKeyMs) / 1000;
    const interval = Math.max(keyIntervalSeconds ?? 0, sinceKeySeconds ?? 0);
    if (firstVideoMs !== null && lastKeyMs === null && lastVideoMs - firstVideoMs > 2000)
      warn(
        'no-keyframes',
        'No key frame has arrived yet, so viewers see nothing. Set the keyframe interval to 2 s in OBS: Settings → Output.',
      );
    else if (interval > advisedKeyIntervalSeconds)
      warn(
        interval > maxKeyIntervalSeconds ? 'keyframe-interval-long' : 'keyframe-interval',
        `A key frame comes every ${interval.toFixed(1)} s, which delays viewers. Set the keyframe interval to 2 s in OBS: Settings → Output.`,
      );
    if (maximumKbps !== null && total > maximumKbps)
      warn(
        'bitrate-above-limit',
        `The stream has ${total} kbit/s; the limit is ${maximumKbps} kbit/s. Lower the bitrate in OBS: Settings → Output. Otherwise the stream ends after 30 s.`,
      );
    else if (total > highKbps)
      warn(
        'bitrate-high',
        `The stream has ${total} kbit/s. Many viewers cannot receive that: 6,000 kbit/s are enough for 1080p.`,
      );
    if (avc && maxHeight !== null && shorterSide(avc) > maxHeight)
      warn(
        'resolution-above-limit',
        `The shorter side of the picture has ${shorterSide(avc)} pixels; viewers get at most ${maxHeight}. Lower the output resolution in OBS: Settings → Video.`,
      );
    const fps = rate((second) => second.frames);
    if (avc && seconds.length > windowSeconds && fps > 0 && fps < minFps)
      warn(
        'frame-rate-low',
        `Only ${fps.toFixed(0)} frames per second arrive. Check the load of your computer and your connection.`,
      );
    if (Date.now() - lastArrivalMs > 3000)
      warn('no-data', 'No data has arrived for some seconds. Check your internet connection.');
    if (!aac && seconds.length > windowSeconds)
      warn('no-audio', 'The stream has no sound. Check the audio sources of your encoder.');
    if (!avc && seconds.length > windowSeconds) warn('no-video', 'The stream has no picture.');
    return list;
  }

  return {
    push(tag) {
      const second = seconds.at(-1);
      lastArrivalMs = Date.now();
      if (second && tag.type !== 'data') second[tag.type] += tag.payload.length;
      const frame = readFrame(tag);
      if (frame.kind === 'video-config') avc = readAvcConfig(frame.config);
      else if (frame.kind === 'audio-config') aac = readAacConfig(frame.config);
      else if (frame.kind === 'video') {
        if (second) second.frames += 1;
        firstVideoMs ??= tag.timestamp;
        lastVideoMs = tag.timestamp;
        if (!frame.isKey) return;
        if (lastKeyMs !== null) keyIntervalSeconds = (tag.timestamp - lastKeyMs) / 1000;
        lastKeyMs = tag.timestamp;
      }
    },
    tick(nowMs) {
      seconds.push({ atMs: nowMs, video: 0, audio: 0, frames: 0 });
      seconds = seconds.slice(-(windowSeconds + 1));
    },
    restart(nowMs) {
      seconds = [{ atMs: nowMs, video: 0, audio: 0, frames: 0 }];
      [avc, aac, lastKeyMs, keyIntervalSeconds, firstVideoMs] = [null, null, null, null, null];
      lastArrivalMs = nowMs;
    },
    get kbps() {
      return kbps((second) => second.video + second.audio);
    },
    get lacksKeyFrames() {
      return firstVideoMs !== null && lastVideoMs - (lastKeyMs ?? firstVideoMs) > maxWithoutKeyMs && lastKeyMs === null;
    },
    get figures() {
      const fps = rate((second) => second.frames);
      return {
        width: avc?.width ?? null,
        height: avc?.height ?? null,
        fps: fps > 0 ? Math.round(fps * 10) / 10 : null,
        video_kbps: kbps((second) => second.video),
        audio_kbps: kbps((second) => second.audio),
        video_codec: avc?.codec ?? null,
        audio_codec: aac?.codec ?? null,
        keyframe_seconds: keyIntervalSeconds,
        warnings: warnings(),
      };
    },
  };
}
