import { join } from 'node:path';
import type { Disk } from '../storage/disk.ts';
import { createTranscoder, type TranscoderPrograms } from './ladder/transcoder.ts';
import { readAvcConfig } from './media/avc.ts';
import type { FlvTag } from './media/flv.ts';
import type { Fragment } from './media/fragmenter.ts';
import { readFrame, UnusableInput } from './media/frame.ts';
import type { NamedRendition } from './origin/live-playlists.ts';
import { createRendition } from './origin/rendition.ts';
import { createStreamHeaders } from './stream-headers.ts';
import type { StreamPlan } from './stream-plan.ts';
import { shorterSide } from '../videos/ladder.ts';

/**
 * The renditions of a session. A picture whose shorter side is above the maximum is not delivered: viewers, targets and
 * recordings get the largest rendition below as the source. The encoder may change its picture at any time: each
 * rendition that has begun continues, if necessary with the picture of the source.
 */
export interface Delivery {
  /** For viewers, the largest first, with those that have not begun. */
  readonly renditions: readonly NamedRendition[];
  /** @throws UnusableInput if the picture is too large and there is no lower rendition */
  push(tag: FlvTag): void;
  /** Another encoder starts, maybe with other settings. */
  restart(): void;
  /** Waits for running writes. */
  close(): Promise<void>;
}

export interface DeliveryOptions {
  readonly plan: Pick<StreamPlan, 'isLowLatency' | 'dvrMinutes' | 'ladder' | 'maxHeight' | 'hasViewers'>;
  /** The first media sequence number. */
  readonly firstNumber: number;
  /** The directory of the segments. */
  readonly directory: string;
  readonly disk: Disk;
  readonly programs: TranscoderPrograms;
  /** The largest rendition that is delivered. */
  readonly onTag: (tag: FlvTag) => void;
  readonly onInit: (bytes: Buffer) => void;
  readonly onFragment: (fragment: Fragment) => void;
}

export function createDelivery(options: DeliveryOptions): Delivery {
  const { plan, programs, onTag } = options;
  const { isLowLatency, dvrMinutes, maxHeight, hasViewers } = plan;
  const headers = createStreamHeaders();
  let sourceSide: number | null = null;

  const isTooLarge = () => maxHeight !== null && sourceSide !== null && sourceSide > maxHeight;
  const create = (name: string, isTranscoded: boolean) =>
    createRendition({
      isLowLatency,
      dvrSeconds: dvrMinutes * 60,
      firstNumber: options.firstNumber,
      disk: options.disk,
      directory: join(options.directory, name),
      isTranscoded,
      ...(!isTranscoded && { onInit: options.onInit, onFragment: options.onFragment }),
    });
  const source = { name: 'source', rendition: create('source', false) };
  const lower = (hasViewers ? plan.ladder : [])
    .filter((height) => maxHeight === null || height <= maxHeight)
    .map((height) => ({ height, name: String(height), rendition: create(String(height), true) }));
  const smaller = () => lower.filter(({ height }) => sourceSide === null || height < sourceSide);
  const deliver = (tag: FlvTag) => {
    source.rendition.push(tag);
    onTag(tag);
  };
  const transcoder = createTranscoder(programs, headers, () =>
    smaller().map(({ height, rendition }, index) => ({
      height,
      push(tag) {
        const isLargest = index === 0 && isTooLarge();
        if (isLargest && tag.type !== 'data') deliver(tag);
        // It would be the same as the source; players that already have its address keep it.
        if (!isLargest || rendition.segments.length > 0) rendition.push(tag);
      },
    })),
  );

  function readSettings(tag: FlvTag): void {
    const frame = readFrame(tag);
    if (frame.kind !== 'video-config' && frame.kind !== 'audio-config') return;
    const before = frame.kind === 'video-config' ? headers.video : headers.audio;
    if (before && !before.payload.equals(tag.payload)) transcoder.restart();
    if (frame.kind === 'video-config') sourceSide = shorterSide(readAvcConfig(frame.config));
    if (!isTooLarge() || smaller().length > 0) return;
    throw new UnusableInput(
      'max-resolution',
      `The shorter side of the picture has ${sourceSide} pixels; at most ${maxHeight} are allowed. Lower the output resolution in OBS: Settings → Video.`,
    );
  }

  return {
    renditions: [source, ...lower],
    push(tag) {
      readSettings(tag);
      headers.note(tag);
      transcoder.push(tag);
      if (isTooLarge()) return;
      deliver(tag);
      // The picture became smaller than these, whose addresses players have.
      for (const { height, rendition } of lower)
        if (sourceSide !== null && height >= sourceSide && rendition.segments.length > 0) rendition.push(tag);
    },
    restart() {
      transcoder.restart();
    },
    async close() {
      transcoder.close();
      await Promise.all([source, ...lower].map(({ rendition }) => rendition.close()));
    },
  };
}
