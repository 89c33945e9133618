/** @jsxImportSource preact */
import { type Page, renderPage } from '../../platform/page/page-layout.tsx';
import { messagePage } from '../../platform/page/message-page.tsx';
import type { TextFrame } from '../../platform/page/text-frame.ts';
import type { WatchRefusal } from './renew-playback.ts';

export const playerScript = 'player/player.js';
export const playerStyle = 'player/player.css';

export interface WatchPage {
  readonly chrome: Page['chrome'];
  readonly texts: TextFrame['texts']['watch'];
  readonly room: { readonly name: string; readonly type: string; readonly description: string | null };
  /** The address where the player gets and renews its playback address. */
  readonly playbackPath: string;
  readonly roomHref: string;
  /** Links for moderators and uploaders. They open in a new tab, because the player may be embedded. */
  readonly links: readonly { readonly label: string; readonly href: string }[];
}

/** The page with the player of a room. The script loads the videos or the stream. */
export function watchPage({ chrome, texts, room, playbackPath, roomHref, links }: WatchPage): string {
  return renderPage({
    chrome,
    title: room.name,
    script: playerScript,
    style: playerStyle,
    content: (
      <div
        class="watch"
        data-player={playbackPath}
        data-room-type={room.type}
        data-room-href={roomHref}
        data-texts={JSON.stringify(texts)}
      >
        <div class="stage" aria-live="polite">
          <p class="stage-message">{texts.loading}</p>
          <noscript>
            <p class="stage-message">{texts.needsScript}</p>
          </noscript>
        </div>
        <div class="about-room">
          <h1>{room.name}</h1>
          {room.description !== null && <p>{room.description}</p>}
          {links.map(({ label, href }) => (
            <a key={href} class="button go-live" href={href} target="_blank" rel="noopener">
              {label}
            </a>
          ))}
        </div>
      </div>
    ),
  });
}

export function watchEndedPage(
  chrome: Page['chrome'],
  texts: TextFrame['texts']['watch'],
  { refusal, roomHref }: { readonly refusal: WatchRefusal; readonly roomHref: string },
): string {
  return messagePage(chrome, { ...texts.refusals[refusal], link: { label: texts.back, href: roomHref } });
}
