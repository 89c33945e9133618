/** @jsxImportSource preact */
import type { NotificationKind } from '@foyer/contract/resources/platform/notification.ts';
import { messagePage } from '../../../platform/page/message-page.tsx';
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
  const sentence = fill(page.done, { name: mails[kind].name });
  return messagePage(chrome, { title: page.doneTitle, sentence, state: 'open', isOutcome: true });
}

export function invalidUnsubscribePage(chrome: TextFrame): string {
  const { deadTitle: title, dead: sentence } = chrome.texts.notifications.page;
  return messagePage(chrome, { title, sentence });
}
