/** @jsxImportSource preact */
import { fill } from '../text/catalogues.ts';
import { renderPage } from './page-layout.tsx';
import { Front } from './page-parts.tsx';
import type { TextFrame } from './text-frame.ts';

export function brokenPage(chrome: TextFrame, requestId: string): string {
  const texts = chrome.texts.failures;
  return renderPage({
    chrome,
    title: texts.brokenTitle,
    content: (
      <Front state="closed">
        <h1>{texts.brokenTitle}</h1>
        <p>{texts.broken}</p>
        <p class="soft small">{fill(texts.requestId, { id: requestId })}</p>
      </Front>
    ),
  });
}
