/** @jsxImportSource preact */
import { type PageFrame, renderPage } from './page-layout.tsx';
import { Front } from './page-parts.tsx';
import type { PageWords } from './page-words.ts';

export function brokenPage(chrome: PageFrame & { readonly texts: PageWords }, requestId: string): string {
  const { texts } = chrome;
  return renderPage({
    chrome,
    title: texts.brokenTitle,
    content: (
      <Front state="closed">
        <h1>{texts.brokenTitle}</h1>
        <p>{texts.broken}</p>
        <p class="soft small">{texts.requestId(requestId)}</p>
      </Front>
    ),
  });
}
