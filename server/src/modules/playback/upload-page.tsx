/** @jsxImportSource preact */
import { type Page, renderPage } from '../../platform/page/page-layout.tsx';
import { messagePage } from '../../platform/page/message-page.tsx';
import type { TextFrame } from '../../platform/page/text-frame.ts';

type Texts = TextFrame['texts']['upload'];

export interface UploadPage {
  readonly chrome: Page['chrome'];
  readonly texts: Texts;
  readonly roomId: string;
  readonly roomName: string;
  readonly roomHref: string;
  readonly uploadsHref: string;
}

/** The page on which users upload videos into a room; the script sends the files. */
export function uploadPage({ chrome, texts, roomId, roomName, roomHref, uploadsHref }: UploadPage): string {
  return renderPage({
    chrome,
    title: `${texts.title} · ${roomName}`,
    script: 'player/upload.js',
    style: 'player/upload.css',
    content: (
      <div class="uploads" data-uploads={uploadsHref} data-room-id={roomId} data-texts={JSON.stringify(texts)}>
        <p class="lead">{roomName}</p>
        <h1>{texts.title}</h1>
        <div class="drop" hidden>
          <p>
            <strong>{texts.drop}</strong>
            <span class="soft">{texts.resumes}</span>
          </p>
          <label class="button">
            {texts.choose}
            <input type="file" multiple accept="video/*,audio/*,.mkv,.mov,.ts" />
          </label>
        </div>
        <ul class="files" aria-live="polite" />
        <noscript>
          <p class="alert">{texts.needsScript}</p>
        </noscript>
        <a class="button quiet" href={roomHref}>
          {texts.back}
        </a>
      </div>
    ),
  });
}

export function uploadRefusedPage(chrome: Page['chrome'], texts: Texts, roomHref: string): string {
  return messagePage(chrome, { ...texts.notAllowed, link: { label: texts.back, href: roomHref } });
}
