import { invalid } from '../http/answer.ts';

const maxCues = 20_000;
const maxLineLength = 2000;

/**
 * Captions as WebVTT with plain cues: SubRip is converted, and styles, regions and comments are left out.
 * @throws Refusal 422 if the text is not captions
 */
export function readCaptions(type: string, bytes: Buffer): string {
  const text = new TextDecoder('utf-8', { fatal: false })
    .decode(bytes)
    .replaceAll(/\r\n?/g, '\n')
    .replace(/^\uFEFF/, '');
  if (type === 'text/vtt' && !/^WEBVTT(?:[ \t\n]|$)/.test(text)) throw invalid('The file is not WebVTT.');
  const cues: string[] = [];
  for (const block of text.split(/\n(?:[ \t]*\n)+/)) {
    const cue = readCue(block);
    if (cue !== null) cues.push(cue);
    if (cues.length > maxCues) throw invalid(`Captions can have at most ${maxCues} cues.`);
  }
  if (cues.length === 0) throw invalid('The file has no captions.');
  return `WEBVTT\n\n${cues.join('\n\n')}\n`;
}

const time = String.raw`(?:(\d{1,3}):)?([0-5]?\d):([0-5]?\d)[.,](\d{3})`;
const timing = new RegExp(String.raw`^${time}[ \t]+-->[ \t]+${time}`);

function readCue(block: string): string | null {
  const lines = block.split('\n').filter((line) => line.trim() !== '');
  const timingIndex = lines.findIndex((line) => timing.test(line));
  if (timingIndex === -1 || timingIndex > 1) return null;
  const parts = timing.exec(lines[timingIndex] ?? '');
  const text = lines.slice(timingIndex + 1).map(sanitizeLine);
  if (!parts || text.length === 0) return null;
  const [from, to] = [secondsOf(parts.slice(1, 5)), secondsOf(parts.slice(5, 9))];
  return to <= from ? null : `${formatTime(from)} --> ${formatTime(to)}\n${text.join('\n')}`;
}

/** Tags of WebVTT and SubRip that change neither the words nor their emphasis: speakers, classes, colors, times. */
const ignoredTags = /<\/?(?:v|c|lang|ruby|rt|font)\b[^<>]*>|<[\d:.]+>/gi;

/** Keeps formatting tags such as italics, leaves out other known tags, and escapes every other `<`. */
function sanitizeLine(line: string): string {
  return line
    .slice(0, maxLineLength)
    .replaceAll(ignoredTags, '')
    .replaceAll('-->', '→')
    .replaceAll(/<(?!\/?(?:i|b|u)>)/g, '&lt;');
}

function secondsOf([hours = '0', minutes = '0', seconds = '0', milliseconds = '0']: readonly (string | undefined)[]) {
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(milliseconds) / 1000;
}

function formatTime(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${parts.join(':')}.${String(Math.round((seconds - whole) * 1000)).padStart(3, '0')}`;
}
