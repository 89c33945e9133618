/** @jsxImportSource preact */
import { renderPage } from './page-layout.tsx';
import { Front } from './page-parts.tsx';
import type { TextFrame } from './text-frame.ts';

/** The 404 page for browsers. */
export function missingPage(chrome: TextFrame): string {
  const texts = chrome.texts.failures;
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
