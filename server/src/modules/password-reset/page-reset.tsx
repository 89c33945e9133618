/** @jsxImportSource preact */
import { messagePage } from '../../platform/page/message-page.tsx';
import { renderPage } from '../../platform/page/page-layout.tsx';
import { Alert, Front, PasswordField } from '../../platform/page/page-parts.tsx';
import type { TextFrame } from '../../platform/page/text-frame.ts';
import { fill } from '../../platform/text/catalogues.ts';

export interface ResetForm {
  readonly action: string;
  readonly email: string;
  readonly passwordError: string | null;
  readonly alert: string | null;
}

export function resetPage(chrome: TextFrame, form: ResetForm): string {
  const { forms, passwordReset: texts } = chrome.texts;
  return renderPage({
    chrome,
    title: texts.title,
    content: (
      <Front state="notStarted">
        <p class="lead">{form.email}</p>
        <h1>{texts.title}</h1>
        <p class="soft">{fill(texts.lead, { platform: chrome.platformName })}</p>
        <Alert sentence={form.alert} />
        <form method="post" action={form.action} novalidate>
          <input type="hidden" name="username" value={form.email} autocomplete="username" />
          <PasswordField label={texts.label} hint={forms.passwordHint} error={form.passwordError} />
          <button type="submit">{texts.submit}</button>
        </form>
      </Front>
    ),
  });
}

export function resetDonePage(chrome: TextFrame, signInHref: string | null): string {
  const { doneTitle: title, done: sentence } = chrome.texts.passwordReset;
  const link = signInHref === null ? null : { label: chrome.texts.forms.toSignIn, href: signInHref };
  return messagePage(chrome, { title, sentence, state: 'open', isOutcome: true, link });
}

/** The link is unknown, used, invalidated or expired. */
export function invalidLinkPage(chrome: TextFrame): string {
  const { deadTitle: title, dead: sentence } = chrome.texts.passwordReset;
  return messagePage(chrome, { title, sentence });
}
