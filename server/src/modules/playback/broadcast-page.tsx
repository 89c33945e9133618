/** @jsxImportSource preact */
import { type Page, renderPage } from '../../platform/page/page-layout.tsx';
import { messagePage } from '../../platform/page/message-page.tsx';
import type { TextFrame } from '../../platform/page/text-frame.ts';

type Texts = TextFrame['texts'];

export interface BroadcastPage {
  readonly chrome: Page['chrome'];
  readonly texts: Texts['broadcast'];
  readonly refusals: Texts['watch']['refusals'];
  readonly roomName: string;
  readonly watchHref: string;
  readonly hasViewers: boolean;
  readonly roomHref: string;
  /** The subscription's limit of the bitrate; null without a limit. */
  readonly maxKbps: number | null;
  /** The subscription's limit of the height of the picture, in pixels; null without a limit. */
  readonly maxHeight: number | null;
  /** Why the source of the room cannot be fetched; null if it can be fetched, undefined if the room has no source. */
  readonly sourceError: string | null | undefined;
}

/** The page on which a moderator broadcasts; the script fills the lists and starts the preview. */
export function broadcastPage({ chrome, refusals, roomName, ...page }: BroadcastPage): string {
  const { withoutViewers, ...withViewers } = page.texts;
  const texts = page.hasViewers ? withViewers : { ...withViewers, ...withoutViewers };
  return renderPage({
    chrome,
    title: `${texts.title} · ${roomName}`,
    script: 'player/broadcast.js',
    style: 'player/broadcast.css',
    content: (
      <div
        class="broadcast"
        data-broadcast={`${page.watchHref}/broadcast`}
        data-playback={`${page.watchHref}/playback`}
        data-room-href={page.roomHref}
        data-has-viewers={page.hasViewers ? '' : undefined}
        data-max-kbps={page.maxKbps ?? ''}
        data-max-height={page.maxHeight ?? ''}
        data-texts={JSON.stringify({ ...texts, refusals })}
      >
        <div class="heading">
          <p class="lead">{roomName}</p>
          <h1>{texts.title}</h1>
        </div>
        <div class="picture">
          <div class="preview">
            <video muted playsinline aria-label={texts.preview} />
            <p class="badge" hidden>
              <span class="badge-live">{texts.live}</span>
              <span class="badge-time" />
              <span class="badge-viewers" />
            </p>
          </div>
          <p class="status" role="status" />
          {page.sourceError !== undefined && (
            <p class="alert">
              {texts.problems['source-set']} <span lang="en">{page.sourceError}</span>
            </p>
          )}
          <div class="problem" role="alert" />
        </div>
        <form class="controls" hidden>
          <fieldset class="source">
            <legend>{texts.source}</legend>
            <label>
              <input type="radio" name="source" value="camera" checked />
              <span>{texts.camera}</span>
            </label>
            <label data-screen>
              <input type="radio" name="source" value="screen" />
              <span>{texts.screen}</span>
            </label>
          </fieldset>
          <div class="device" data-camera>
            <label for="camera">{texts.camera}</label>
            <select id="camera" />
          </div>
          <div class="device">
            <label for="microphone">{texts.microphone}</label>
            <select id="microphone" />
          </div>
          <div class="sound">
            <div
              class="meter"
              role="meter"
              aria-label={texts.level}
              aria-valuemin={0}
              aria-valuemax={100}
              aria-valuenow={0}
            >
              <i />
            </div>
            <button type="button" class="quiet" data-mute aria-pressed="false">
              {texts.mute}
            </button>
          </div>
          <button type="submit" disabled>
            {texts.start}
          </button>
          <p class="hint">{texts.hint}</p>
          {page.hasViewers && (
            <a class="back" href={page.watchHref} target="_blank" rel="noopener">
              {texts.watch}
            </a>
          )}
        </form>
        <noscript>
          <p class="alert">{texts.needsScript}</p>
        </noscript>
      </div>
    ),
  });
}

export function broadcastRefusedPage(chrome: Page['chrome'], texts: Texts['broadcast'], watchHref: string): string {
  return messagePage(chrome, { ...texts.notModerator, link: { label: texts.watch, href: watchHref } });
}
