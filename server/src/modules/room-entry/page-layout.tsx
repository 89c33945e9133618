/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { assets, doorMark } from './page-assets.ts';
import type { PageTexts } from './page-texts.ts';

/** What is the same on every page of a platform. */
export interface Chrome {
  readonly texts: PageTexts;
  readonly platformName: string;
  readonly logoUrl: string | null;
  readonly color: string;
  readonly supportUrl: string | null;
  /** Path below which the rooms are, as `/rooms`. */
  readonly roomsPath: string;
}

export interface Page {
  readonly chrome: Chrome;
  readonly title: string;
  readonly content: ComponentChildren;
  /** Seconds after which a browser without JavaScript loads the page again. */
  readonly refreshSeconds?: number;
}

export function renderPage({ chrome, title, content, refreshSeconds }: Page): string {
  const { texts, platformName, logoUrl, color, supportUrl, roomsPath } = chrome;
  const html = renderToString(
    <html lang={texts.language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · ${platformName}`}</title>
        <link rel="icon" href={logoUrl ?? `${roomsPath}/${assets.icon(color)}`} />
        <link rel="stylesheet" href={`${roomsPath}/${assets.style}`} />
        <link rel="stylesheet" href={`${roomsPath}/${assets.brand(color)}`} />
        {refreshSeconds !== undefined && (
          <noscript>
            <meta http-equiv="refresh" content={String(refreshSeconds)} />
          </noscript>
        )}
        <script src={`${roomsPath}/${assets.script}`} defer />
      </head>
      <body>
        <header class="platform">
          {logoUrl === null ? <Mark /> : <img class="logo" src={logoUrl} alt="" />}
          <span>{platformName}</span>
        </header>
        <main>{content}</main>
        {supportUrl !== null && (
          <footer>
            <a href={supportUrl} rel="noreferrer">
              {texts.help}
            </a>
          </footer>
        )}
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
      <path d={doorMark} />
    </svg>
  );
}
