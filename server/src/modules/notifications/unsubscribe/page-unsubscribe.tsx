/** @jsxImportSource preact */
import type { NotificationKind } from '@foyer/contract/resources/platform/notification.ts';
import { renderPage } from '../../../platform/page/page-layout.tsx';
import { Front } from '../../../platform/page/page-parts.tsx';
import type { TextFrame } from '../../../platform/page/text-frame.ts';
import { fill } from '../../../platform/text/catalogues.ts';

export function unsubscribePage(chrome: TextFrame, kind: NotificationKind, action: string): string {
  const { page, mails } = chrome.texts.notifications;
  return renderPage({
    chrome,
    title: page.title,
    content: (
      <Front state="notStarted">
        <h1>{page.title}</h1>
        <p>{fill(page.lead, { name: mails[kind].name })}</p>
        <form method="post" action={action}>
          <button type="submit">{page.submit}</button>
        </form>
      </Front>
    ),
  });
}

export function unsubscribedPage(chrome: TextFrame, kind: NotificationKind): string {
  const { page, mails } = chrome.texts.notifications;
  return renderPage({
    chrome,
    title: page.doneTitle,
    content: (
      <Front state="open">
        <h1>{page.doneTitle}</h1>
        <p role="status">{fill(page.done, { name: mails[kind].name })}</p>
      </Front>
    ),
  });
}

export function invalidUnsubscribePage(chrome: TextFrame): string {
  const { page } = chrome.texts.notifications;
  return renderPage({
    chrome,
    title: page.deadTitle,
    content: (
      <Front state="closed">
        <h1>{page.deadTitle}</h1>
        <p>{page.dead}</p>
      </Front>
    ),
  });
}
