import { trackFileName } from '../api/recordings/text-tracks.ts';
import type { Answer } from '../http/answer.ts';
import { type FormatType, type Recording, formatTypes, minutesIn } from '../world/recording.ts';
import type { World } from '../world/world.ts';
import { type Html, html } from './html.ts';
import { renderPage } from './layout.ts';

/** The response for a player, thumbnail or captions file of a published recording; null if it does not exist. */
export function answerPlayback(world: World, path: string): Answer | null {
  for (const { pattern, answer } of pages) {
    const [, recordId, detail = ''] = pattern.exec(path) ?? [];
    const recording = world.recordings.find((stored) => stored.recordId === recordId);
    if (recording?.state === 'published' && !recording.isBroken) return answer(recording, detail);
  }
  return null;
}

interface PlaybackPage {
  /** Captures the recordID, and the slide number or file name. */
  pattern: RegExp;
  answer(recording: Recording, detail: string): Answer | null;
}

const pages: PlaybackPage[] = [
  { pattern: /^\/playback\/presentation\/2\.3\/([\w-]+)$/, answer: (recording) => player(recording, 'presentation') },
  ...formatTypes.map((format) => ({
    pattern: new RegExp(`^/playback/${format}/([\\w-]+)$`),
    answer: (recording: Recording) => player(recording, format),
  })),
  { pattern: /^\/presentation\/([\w-]+)\/thumbnails\/thumb-([1-3])\.svg$/, answer: thumbnail },
  { pattern: /^\/captions\/([\w-]+)\/([\w-]+\.vtt)$/, answer: captions },
];

function player(recording: Recording, format: FormatType): Answer | null {
  if (!recording.formats.includes(format)) return null;
  return renderPage(200, {
    title: `Recording of ${recording.name}`,
    content: html`
      <section class="card hero">
        <p class="status">${labels[format]}</p>
        <h1>Recording of <strong>${recording.name}</strong></h1>
        <p class="note">
          ${new Date(recording.startTime).toISOString().slice(0, 16).replace('T', ' ')} UTC,
          ${minutesIn(recording.recordedMs)} min, ${recording.participants} in the meeting. The
          sandbox records no sound and no pictures.
        </p>
        ${format === 'presentation' ? slides(recording) : null}
      </section>
      ${otherFormats(recording, format)} ${captionList(recording)}
    `,
  });
}

const labels: Record<FormatType, string> = {
  presentation: 'Presentation',
  video: 'Video',
  podcast: 'Podcast',
  statistics: 'Statistics',
  notes: 'Notes',
  screenshare: 'Shared screen',
  capture: 'Capture',
};

function slides({ recordId }: Recording): Html {
  return html`<div class="slides">
    ${[1, 2, 3].map(
      (slide) =>
        html`<img src="/presentation/${recordId}/thumbnails/thumb-${slide}.svg" alt="Slide ${slide}" width="176" height="136" />`,
    )}
  </div>`;
}

function otherFormats({ recordId, formats }: Recording, current: FormatType): Html | null {
  const others = formats.filter((format) => format !== current);
  if (others.length === 0) return null;
  return html`<section class="card">
    <h2>Other formats</h2>
    <div class="actions">
      ${others.map((format) => html`<a class="button" href="/playback/${format}/${recordId}">${labels[format]}</a>`)}
    </div>
  </section>`;
}

function captionList({ recordId, textTracks }: Recording): Html | null {
  if (textTracks.length === 0) return null;
  return html`<section class="card">
    <h2>Captions <span class="count">${textTracks.length}</span></h2>
    <div class="actions">
      ${textTracks.map(
        (track) =>
          html`<a class="button" href="/captions/${recordId}/${trackFileName(track)}" lang="${track.lang}"
            >${track.label}</a
          >`,
      )}
    </div>
  </section>`;
}

function thumbnail(_recording: Recording, slide: string): Answer {
  const body = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 176 136" width="176" height="136"><rect width="176" height="136" fill="#eceafd"/><text x="88" y="88" font-family="sans-serif" font-size="56" text-anchor="middle" fill="#4f46e5">${slide}</text></svg>`;
  return file('image/svg+xml', body);
}

function captions({ textTracks }: Recording, name: string): Answer | null {
  const track = textTracks.find((stored) => trackFileName(stored) === name);
  return track ? file('text/vtt; charset=utf-8', track.content) : null;
}

function file(type: string, body: string): Answer {
  const headers = { 'content-type': type, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' };
  return { status: 200, headers, body };
}
