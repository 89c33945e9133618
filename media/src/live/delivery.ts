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
 * The renditions of a session. If the shorter side of the picture exceeds `maxHeight`, the picture is not delivered:
 * viewers, outputs and recordings get the largest lower rendition in its place. The encoder may change its picture at any
 * time: a rendition that has begun continues, if necessary with the picture of the source.
 */
export interface Delivery {
  /** The renditions for viewers, largest first, including those that have not begun. */
  readonly renditions: readonly NamedRendition[];
  /** @throws UnusableInput if the picture is too large and there is no lower rendition */
  push(tag: FlvTag): void;
  /** Called when another encoder starts, maybe with other settings. */
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
  /** Receives the frames of the largest delivered rendition. */
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
  const smallerRenditions = () => lower.filter(({ height }) => sourceSide === null || height < sourceSide);
  const deliver = (tag: FlvTag) => {
    source.rendition.push(tag);
    onTag(tag);
  };
  const transcoder = createTranscoder(programs, headers, () =>
    smallerRenditions().map(({ height, rendition }, index) => ({
      height,
      push(tag) {
        const isLargest = index === 0 && isTooLarge();
        if (isLargest && tag.type !== 'data') deliver(tag);
        // This rendition equals the source now. It only continues for players that already have its address.
        if (!isLargest || rendition.segments.length > 0) rendition.push(tag);
      },
    })),
  );

  function applySettings(tag: FlvTag): void {
    const frame = readFrame(tag);
    if (frame.kind !== 'video-config' && frame.kind !== 'audio-config') return;
    const previous = frame.kind === 'video-config' ? headers.video : headers.audio;
    if (previous && !previous.payload.equals(tag.payload)) transcoder.restart();
    if (frame.kind === 'video-config') sourceSide = shorterSide(readAvcConfig(frame.config));
    if (!isTooLarge() || smallerRenditions().length > 0) return;
    throw new UnusableInput(
      'max-resolution',
      `The shorter side of the picture has ${sourceSide} pixels; at most ${maxHeight} are allowed. Lower the output resolution in OBS: Settings → Video.`,
    );
  }

  return {
    renditions: [source, ...lower],
    push(tag) {
      applySettings(tag);
      headers.store(tag);
      transcoder.push(tag);
      if (isTooLarge()) return;
      deliver(tag);
      // The picture is now smaller than these renditions, but players still have their addresses.
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
