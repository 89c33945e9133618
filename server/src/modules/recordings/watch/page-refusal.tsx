/** @jsxImportSource preact */
import { type PageFrame, renderPage } from '../../../platform/page/page-layout.tsx';
import { Front } from '../../../platform/page/page-parts.tsx';
import type { PageWords } from '../../../platform/page/page-words.ts';
import { type WatchRefusal, watchText } from './watch-texts.ts';

export type WatchChrome = PageFrame & { readonly texts: PageWords };

export function watchRefusalPage(chrome: WatchChrome, refusal: WatchRefusal): string {
  const { title, sentence } = watchText(chrome.texts.language, refusal);
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
