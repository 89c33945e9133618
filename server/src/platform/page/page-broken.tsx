/** @jsxImportSource preact */
import { fill } from '../text/catalogues.ts';
import { messagePage } from './message-page.tsx';
import type { TextFrame } from './text-frame.ts';

export function brokenPage(chrome: TextFrame, requestId: string): string {
  const { brokenTitle: title, broken: sentence, requestId: request } = chrome.texts.failures;
  const note = <p class="soft small">{fill(request, { id: requestId })}</p>;
  return messagePage(chrome, { title, sentence, note });
}
