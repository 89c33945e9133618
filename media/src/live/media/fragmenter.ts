import { type AacConfig, readAacConfig, samplesPerFrame } from './aac.ts';
import { type AvcConfig, readAvcConfig } from './avc.ts';
import type { FlvTag } from './flv.ts';
import {
  audioTrack,
  encodeFragment,
  encodeInitSegment,
  type Sample,
  type Tracks,
  videoTimeScale,
  videoTrack,
} from './fragmented-mp4.ts';
import { type Frame, readFrame } from './frame.ts';

export interface Fragment {
  readonly bytes: Buffer;
  /** In seconds. */
  readonly duration: number;
  /** Whether it begins with a key frame or has no video. */
  readonly isIndependent: boolean;
}

export interface FragmentSink {
  /** Called before the first fragment, and again when the encoder has changed its settings. */
  onInit(bytes: Buffer, tracks: Tracks): void;
  onFragment(fragment: Fragment): void;
}

export interface FragmenterOptions {
  /** The length at which a fragment ends, unless a key frame comes first. */
  readonly targetMs: number;
  /** How much later the second track may begin than the first. */
  readonly waitForTrackMs: number;
}

/** A larger difference is a jump, not jitter. */
const audioToleranceMs = 100;
const maxSampleMs = 10_000;
/** The maximum size of the samples that wait for a fragment. */
const maximumPendingBytes = 32 * 1024 * 1024;

interface TimedFrame {
  readonly data: Buffer;
  /** In milliseconds. */
  readonly timestamp: number;
  readonly offset: number;
  readonly isKey: boolean;
}

/** Converts the frames of an encoder to MP4 fragments. Each ends before a key frame, or when it lasts `targetMs`. */
export function createFragmenter(
  { targetMs, waitForTrackMs }: FragmenterOptions,
  sink: FragmentSink,
): (tag: FlvTag) => void {
  let video: AvcConfig | null = null;
  let audio: AacConfig | null = null;
  let hasInit = false;
  let hasKey = false;
  let hasNewSettings = false;
  let sequence = 0;
  let firstMs: number | null = null;
  /** The latest video frame. The timestamp of the next frame determines its duration. */
  let heldVideo: TimedFrame | null = null;
  let videoStart = 0;
  let videoSamples: Sample[] = [];
  let audioSamples: Sample[] = [];
  let audioStart = 0;
  let nextAudioStart: number | null = null;
  let pendingBytes = 0;

  const spanMs = () =>
    video
      ? videoSamples.reduce((sum, { duration }) => sum + duration, 0) / (videoTimeScale / 1000)
      : (audioSamples.length * samplesPerFrame * 1000) / (audio?.sampleRate ?? 48_000);

  function flush(): void {
    const duration = spanMs() / 1000;
    if (duration > 0) {
      const runs = [
        { trackId: videoTrack, startsAt: videoStart, samples: videoSamples },
        { trackId: audioTrack, startsAt: audioStart, samples: audioSamples },
      ];
      const isIndependent = video === null || (videoSamples[0]?.isKey ?? false);
      sink.onFragment({ bytes: encodeFragment(++sequence, runs), duration, isIndependent });
    }
    videoSamples = [];
    audioSamples = [];
    pendingBytes = 0;
  }

  /** @returns false while the second track may still arrive */
  function ensureInit(timestamp: number): boolean {
    if (hasInit && !hasNewSettings) return true;
    firstMs ??= timestamp;
    if (!hasInit && (!video || !audio) && timestamp - firstMs < waitForTrackMs) return false;
    flush();
    sink.onInit(encodeInitSegment({ video, audio }), { video, audio });
    hasInit = true;
    hasNewSettings = false;
    return true;
  }

  function addVideo(frame: TimedFrame): void {
    if (heldVideo) {
      const durationMs = Math.min(Math.max(1, frame.timestamp - heldVideo.timestamp), maxSampleMs);
      if (videoSamples.length === 0) videoStart = heldVideo.timestamp * (videoTimeScale / 1000);
      const { data, isKey, offset } = heldVideo;
      const scale = videoTimeScale / 1000;
      videoSamples.push({ data, isKey, offset: Math.round(offset * scale), duration: Math.round(durationMs * scale) });
      heldVideo = null;
    }
    if (videoSamples.length > 0 && (frame.isKey || spanMs() >= targetMs || pendingBytes > maximumPendingBytes)) flush();
    heldVideo = frame;
    pendingBytes += frame.data.length;
  }

  function addAudio(data: Buffer, timestamp: number): void {
    const rate = audio?.sampleRate ?? 48_000;
    const timestampStart = (timestamp * rate) / 1000;
    const isJump =
      nextAudioStart === null || Math.abs(timestampStart - nextAudioStart) > (audioToleranceMs * rate) / 1000;
    const startsAt = isJump || nextAudioStart === null ? timestampStart : nextAudioStart;
    const last = audioSamples.at(-1);
    // Within a fragment, times follow from durations: a jump lengthens the sample before it.
    if (isJump && last && nextAudioStart !== null && startsAt > nextAudioStart)
      audioSamples[audioSamples.length - 1] = {
        ...last,
        duration: last.duration + Math.round(startsAt - nextAudioStart),
      };
    if (audioSamples.length === 0) audioStart = Math.max(startsAt, nextAudioStart ?? 0);
    audioSamples.push({ data, duration: samplesPerFrame, offset: 0, isKey: true });
    nextAudioStart = Math.max(startsAt, nextAudioStart ?? 0) + samplesPerFrame;
    pendingBytes += data.length;
    if (!video && spanMs() >= targetMs) flush();
    else if (pendingBytes > maximumPendingBytes) flush();
  }

  function configure(frame: Extract<Frame, { kind: 'video-config' | 'audio-config' }>): void {
    const current = frame.kind === 'video-config' ? video : audio;
    if (current?.bytes.equals(frame.config)) return;
    if (frame.kind === 'video-config') {
      video = readAvcConfig(frame.config);
      // Frames before the next key frame cannot be decoded with the new settings.
      hasKey = false;
      heldVideo = null;
    } else {
      audio = readAacConfig(frame.config);
      // It counts samples of the former rate.
      nextAudioStart = null;
    }
    hasNewSettings = hasInit;
  }

  return (tag) => {
    const frame = readFrame(tag);
    if (frame.kind === 'video-config' || frame.kind === 'audio-config') return configure(frame);
    if (frame.kind === 'video') {
      if (!video || (!frame.isKey && !hasKey) || !ensureInit(tag.timestamp)) return;
      // A player cannot begin without a key frame, so nothing before the first one is kept.
      if (!hasKey) audioSamples = [];
      hasKey = true;
      addVideo({ data: frame.data, timestamp: tag.timestamp, offset: frame.offset, isKey: frame.isKey });
    } else if (frame.kind === 'audio' && audio && (video === null || hasKey) && ensureInit(tag.timestamp)) {
      addAudio(frame.data, tag.timestamp);
    }
  };
}
