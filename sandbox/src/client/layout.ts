import type { Answer } from '../http/answer.ts';
import { type Html, html } from './html.ts';

export interface Page {
  title: string;
  content: Html;
  /** Tells the script which elements to refresh. */
  script?: { page: 'room' | 'waiting'; sessionToken: string };
  /** For browsers without JavaScript, and for redirects: goes to `url` (or reloads) after some seconds. */
  refresh?: { seconds: number; url?: string; onlyWithoutScript: boolean };
}

export function renderPage(status: number, page: Page): Answer {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
    body: `<!DOCTYPE html>${document(page).markup}`,
  };
}

/** No inline code, and only resources of this origin. */
export const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors *";

function document({ title, content, script, refresh }: Page): Html {
  return html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>${title}</title>
      <link rel="icon" href="/html5client/icon.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/html5client/client.css" />
      ${script ? html`<script src="/html5client/client.js" defer></script>` : null}
      ${refresh ? refreshElement(refresh) : null}
    </head>
    <body data-page="${script?.page ?? ''}" data-session="${script?.sessionToken ?? ''}">
      <header class="bar">
        <img src="/html5client/icon.svg" alt="" width="28" height="28" />
        <span>Sandbox meeting</span>
      </header>
      <main>${content}</main>
      <footer>This sandbox replaces a meeting server. It has no audio and no video.</footer>
    </body>
  </html>`;
}

function refreshElement({ seconds, url, onlyWithoutScript }: NonNullable<Page['refresh']>): Html {
  const content = url === undefined ? String(seconds) : `${seconds};url=${url}`;
  const element = html`<meta http-equiv="refresh" content="${content}" />`;
  return onlyWithoutScript ? html`<noscript>${element}</noscript>` : element;
}
