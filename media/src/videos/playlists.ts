import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Rendition, VideoRecord } from './video.ts';

const aacCodec = 'mp4a.40.2';
const audioBitrate = 128_000;

/** The master playlist, generated for each request, since renditions and captions are added over time. */
export function masterPlaylist({ renditions, hasAudio, captions }: VideoRecord): string {
  const lines = ['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-INDEPENDENT-SEGMENTS'];
  const isSoundOnly = renditions.every(({ height }) => height === 0);
  if (hasAudio && !isSoundOnly)
    lines.push(
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Audio",DEFAULT=YES,AUTOSELECT=YES,URI="audio/index.m3u8"',
    );
  for (const { language, label } of captions)
    lines.push(
      `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",NAME="${replaceQuotes(label)}",LANGUAGE="${language}",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="captions/${language}.m3u8"`,
    );
  for (const { height, width, bitrate, averageBitrate, codec } of renditions.toSorted((a, b) => a.height - b.height)) {
    const codecs = height === 0 ? aacCodec : hasAudio ? `${codec},${aacCodec}` : codec;
    lines.push(
      [
        `#EXT-X-STREAM-INF:BANDWIDTH=${bitrate},AVERAGE-BANDWIDTH=${averageBitrate},CODECS="${codecs}"`,
        ...(height === 0 ? [] : [`RESOLUTION=${width}x${height}`]),
        ...(hasAudio && height !== 0 ? ['AUDIO="audio"'] : []),
        ...(captions.length > 0 ? ['SUBTITLES="captions"'] : []),
      ].join(','),
      height === 0 ? 'audio/index.m3u8' : `${height}/index.m3u8`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Captions of the whole video in one segment. */
export function captionsPlaylist(language: string, durationSeconds: number): string {
  const seconds = Math.ceil(durationSeconds);
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:3',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    `#EXT-X-TARGETDURATION:${seconds}`,
    `#EXTINF:${durationSeconds.toFixed(3)},`,
    `${language}.vtt`,
    '#EXT-X-ENDLIST',
    '',
  ].join('\n');
}

/** The duration of a rendition; 0 if it does not exist. */
export async function playlistSeconds(directory: string): Promise<number> {
  const playlist = await readFile(join(directory, 'index.m3u8'), 'utf8').catch(() => '');
  return [...playlist.matchAll(/^#EXTINF:([\d.]+)/gm)].reduce((sum, [, seconds]) => sum + Number(seconds), 0);
}

/** The properties of a finished rendition, read from its files. */
export async function measureRendition(directory: string, size: { height: number; width: number }): Promise<Rendition> {
  const playlist = await readFile(join(directory, 'index.m3u8'), 'utf8');
  const lines = playlist.split('\n');
  let [peakBitrate, bytes, duration] = [0, 0, 0];
  for (const [index, line] of lines.entries()) {
    const seconds = Number(/^#EXTINF:([\d.]+)/.exec(line)?.[1]);
    const name = lines[index + 1];
    if (!(seconds > 0) || name === undefined) continue;
    const { size: segment } = await stat(join(directory, name));
    peakBitrate = Math.max(peakBitrate, (segment * 8) / Math.max(seconds, 0.5));
    bytes += segment;
    duration += seconds;
  }
  const soundBitrate = size.height === 0 ? 0 : audioBitrate;
  return {
    ...size,
    bitrate: Math.ceil(peakBitrate) + soundBitrate,
    averageBitrate: Math.ceil((bytes * 8) / Math.max(duration, 0.1)) + soundBitrate,
    codec: size.height === 0 ? aacCodec : codecOf(await readFile(join(directory, 'init.mp4'))),
  };
}

/** The codec string, from the decoder configuration: profile, constraints and level. */
function codecOf(init: Buffer): string {
  const at = init.indexOf('avcC');
  return at === -1 ? 'avc1.64001f' : `avc1.${init.subarray(at + 5, at + 8).toString('hex')}`;
}

function replaceQuotes(text: string): string {
  return text.replaceAll(/["\r\n]/g, ' ');
}
