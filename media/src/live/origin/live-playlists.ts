import { listedSegments, type Rendition, segmentSeconds, type Segment } from './rendition.ts';

/** Parts are only listed for this many of the last segments. */
const segmentsWithParts = 3;
const minPartTarget = 0.35;
const skippableSegments = 6;

export interface NamedRendition {
  readonly name: string;
  readonly rendition: Rendition;
}

/** With one rendition of each picture size. Null before the first segment. */
export function liveMasterPlaylist(renditions: readonly NamedRendition[]): string | null {
  const sizes = new Set<string>();
  const lines = renditions.flatMap(({ name, rendition: { tracks, peakBitrate, segments } }) => {
    if (!tracks || segments.length === 0) return [];
    const codecs = [tracks.video?.codec, tracks.audio?.codec].filter((codec) => codec !== undefined).join(',');
    const size = tracks.video ? `,RESOLUTION=${tracks.video.width}x${tracks.video.height}` : '';
    if (sizes.has(size)) return [];
    sizes.add(size);
    const bandwidth = Math.max(peakBitrate, 64_000);
    return [`#EXT-X-STREAM-INF:BANDWIDTH=${bandwidth},CODECS="${codecs}"${size}`, `${name}/index.m3u8`];
  });
  if (lines.length === 0) return null;
  return `#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-INDEPENDENT-SEGMENTS\n${lines.join('\n')}\n`;
}

/** Null before the first segment. */
export function livePlaylist(rendition: Rendition, { isDelta = false } = {}): string | null {
  const { isLowLatency } = rendition;
  const listed = listedSegments(rendition);
  const visible = isLowLatency ? listed : listed.filter(({ isFinished }) => isFinished);
  const [first] = visible;
  if (!first) return null;
  const target = Math.max(
    segmentSeconds,
    Math.ceil(rendition.longestSegment - 0.5),
    Math.round(visible.at(-1)?.duration ?? 0),
  );
  const partTarget = Math.max(minPartTarget, rendition.longestPart);
  const skipped = isDelta && isLowLatency ? Math.max(0, visible.length - skippableSegments - 1) : 0;
  const control = [
    'CAN-BLOCK-RELOAD=YES',
    `PART-HOLD-BACK=${(partTarget * 3).toFixed(3)}`,
    `CAN-SKIP-UNTIL=${(target * skippableSegments).toFixed(1)}`,
  ];
  const lines = [
    '#EXTM3U',
    `#EXT-X-VERSION:${isLowLatency ? 9 : 7}`,
    `#EXT-X-TARGETDURATION:${target}`,
    ...(isLowLatency
      ? [`#EXT-X-SERVER-CONTROL:${control.join(',')}`, `#EXT-X-PART-INF:PART-TARGET=${partTarget.toFixed(3)}`]
      : []),
    `#EXT-X-MEDIA-SEQUENCE:${first.number}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${first.initNumber}`,
    ...(skipped > 0 ? [`#EXT-X-SKIP:SKIPPED-SEGMENTS=${skipped}`] : []),
  ];
  let initNumber = skipped > 0 ? (visible[skipped - 1]?.initNumber ?? -1) : -1;
  for (const [index, segment] of visible.entries()) {
    if (index < skipped) continue;
    if (segment.initNumber !== initNumber) {
      if (initNumber !== -1) lines.push('#EXT-X-DISCONTINUITY');
      lines.push(`#EXT-X-MAP:URI="init-${segment.initNumber}.mp4"`);
      initNumber = segment.initNumber;
    }
    lines.push(`#EXT-X-PROGRAM-DATE-TIME:${new Date(segment.startedAtMs).toISOString()}`);
    if (isLowLatency && index >= visible.length - 1 - segmentsWithParts) lines.push(...partLines(segment));
    if (segment.isFinished) lines.push(`#EXTINF:${segment.duration.toFixed(5)},`, `${segment.number}.m4s`);
  }
  const last = visible.at(-1);
  if (isLowLatency && last) {
    const [number, part] = last.isFinished ? [last.number + 1, 0] : [last.number, last.partDurations.length];
    lines.push(`#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${number}.${part}.m4s"`);
  }
  return `${lines.join('\n')}\n`;
}

function partLines({ number, partDurations }: Segment): string[] {
  return partDurations.map(({ duration, isIndependent }, index) => {
    const independent = isIndependent ? ',INDEPENDENT=YES' : '';
    return `#EXT-X-PART:DURATION=${duration.toFixed(5)},URI="${number}.${index}.m4s"${independent}`;
  });
}
