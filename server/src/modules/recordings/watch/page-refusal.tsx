/** @jsxImportSource preact */
import { renderPage } from '../../../platform/page/page-layout.tsx';
import { Front } from '../../../platform/page/page-parts.tsx';
import type { TextFrame } from '../../../platform/page/text-frame.ts';
import type { Texts } from '../../../platform/text/catalogues.ts';

/** The reason why a link to a recording does not work. */
export type WatchRefusal = keyof Texts['recording'];

export function watchRefusalPage(chrome: TextFrame, refusal: WatchRefusal): string {
  const { title, sentence } = chrome.texts.recording[refusal];
  return renderPage({
    chrome,
    title,
    content: (
      <Front state="closed">
        <h1>{title}</h1>
        <p>{sentence}</p>
      </Front>
    ),
  });
}
