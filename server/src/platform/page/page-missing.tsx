/** @jsxImportSource preact */
import { type PageFrame, renderPage } from './page-layout.tsx';
import { Front } from './page-parts.tsx';
import type { PageWords } from './page-words.ts';

/** The 404 page for browsers. */
export function missingPage(chrome: PageFrame & { readonly texts: PageWords }): string {
  const { texts } = chrome;
  return renderPage({
    chrome,
    title: texts.missingTitle,
    content: (
      <Front state="closed">
        <h1>{texts.missingTitle}</h1>
        <p>{texts.missing}</p>
      </Front>
    ),
  });
}
