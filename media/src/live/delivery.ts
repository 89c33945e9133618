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
 * The renditions of a session. A picture whose shorter side is above the maximum is not delivered: viewers, targets and recordings get
 * the renditions below.
 */
export interface Delivery {
  /** For viewers, the largest first. */
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
  const create = (name: string, isTranscoded: boolean) => {
    const isLargest = () => renditions()[0]?.name === name;
    const rendition = createRendition({
      isLowLatency,
      dvrSeconds: dvrMinutes * 60,
      firstNumber: options.firstNumber,
      disk: options.disk,
      directory: join(options.directory, name),
      isTranscoded,
      onInit: (bytes) => isLargest() && options.onInit(bytes),
      onFragment: (fragment) => isLargest() && options.onFragment(fragment),
    });
    return { name, rendition };
  };
  const source = create('source', false);
  const lower = (hasViewers ? plan.ladder : [])
    .filter((height) => maxHeight === null || height <= maxHeight)
    .map((height) => ({ height, ...create(String(height), true) }));
  const smaller = () => lower.filter(({ height }) => sourceSide === null || height < sourceSide);
  const renditions = (): NamedRendition[] => (isTooLarge() ? smaller() : [source, ...smaller()]);
  const transcoder = createTranscoder(programs, headers, () =>
    smaller().map(({ height, name, rendition }) => ({
      height,
      push(tag) {
        rendition.push(tag);
        if (tag.type !== 'data' && renditions()[0]?.name === name) onTag(tag);
      },
    })),
  );

  function readHeight(tag: FlvTag): void {
    const frame = readFrame(tag);
    if (frame.kind !== 'video-config') return;
    const before = smaller().length;
    sourceSide = shorterSide(readAvcConfig(frame.config));
    if (smaller().length !== before) transcoder.restart();
    if (renditions().length > 0) return;
    throw new UnusableInput(
      'max-resolution',
      `The shorter side of the picture has ${sourceSide} pixels; at most ${maxHeight} are allowed. Lower the output resolution in OBS: Settings → Video.`,
    );
  }

  return {
    get renditions() {
      return renditions();
    },
    push(tag) {
      readHeight(tag);
      headers.note(tag);
      transcoder.push(tag);
      if (isTooLarge()) return;
      source.rendition.push(tag);
      onTag(tag);
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
