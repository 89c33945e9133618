/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Settings } from '../settings.ts';
import { assets, assetsPath, logoPath } from './page-assets.ts';

/** The parts that all pages of a platform share. */
export interface PageFrame {
  readonly texts: { readonly language: string; readonly direction?: 'ltr' | 'rtl'; readonly help: string };
  readonly platformName: string;
  readonly logoUrl: string | null;
  readonly color: string;
  readonly supportUrl: string | null;
  /** The languages that the reader may choose instead. */
  readonly languages?: LanguageChoice;
  /** The path of the assets, from the root. */
  readonly assetsPath: string;
}

export interface LanguageChoice {
  readonly label: string;
  readonly options: readonly { readonly language: string; readonly name: string; readonly href: string }[];
}

export interface Page {
  readonly chrome: PageFrame;
  readonly title: string;
  readonly content: ComponentChildren;
  /** Seconds after which a browser without JavaScript loads the page again. */
  readonly refreshSeconds?: number;
  /** A script below the path of the assets. */
  readonly script?: string;
  /** A style sheet below the path of the assets. */
  readonly style?: string;
}

export function renderPage({ chrome, title, content, refreshSeconds, script, style }: Page): string {
  const { texts, platformName, logoUrl, color, supportUrl, assetsPath: path } = chrome;
  const html = renderToString(
    <html lang={texts.language} dir={texts.direction}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · ${platformName}`}</title>
        <link rel="icon" href={logoUrl ?? `${path}/${assets.icon(color)}`} />
        <link rel="stylesheet" href={`${path}/${assets.style}`} />
        <link rel="stylesheet" href={`${path}/${assets.brand(color)}`} />
        {style !== undefined && <link rel="stylesheet" href={`${path}/${style}`} />}
        {refreshSeconds !== undefined && (
          <noscript>
            <meta http-equiv="refresh" content={String(refreshSeconds)} />
          </noscript>
        )}
        {script !== undefined && <script src={`${path}/${script}`} defer />}
      </head>
      <body>
        <header class="platform">
          {logoUrl === null ? <Mark /> : <img class="logo" src={logoUrl} alt="" />}
          <span>{platformName}</span>
        </header>
        <main>{content}</main>
        {(supportUrl !== null || chrome.languages !== undefined) && (
          <footer>
            {supportUrl !== null && (
              <a href={supportUrl} rel="noreferrer">
                {texts.help}
              </a>
            )}
            {chrome.languages !== undefined && <Languages choice={chrome.languages} current={texts.language} />}
          </footer>
        )}
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}

function Languages({ choice, current }: { readonly choice: LanguageChoice; readonly current: string }) {
  return (
    <nav class="languages" aria-label={choice.label}>
      {choice.options.map(({ language, name, href }) =>
        language === current ? (
          <span key={language} lang={language} aria-current="true">
            {name}
          </span>
        ) : (
          <a key={language} lang={language} hreflang={language} href={href}>
            {name}
          </a>
        ),
      )}
    </nav>
  );
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
      <path d={logoPath} />
    </svg>
  );
}

/** The brand of the platform, and the path of the assets. */
export function brandOf(settings: Settings, publicUrl: string): Omit<PageFrame, 'texts'> {
  const { platform_name, logo_url, primary_color, support_url } = settings;
  return {
    platformName: platform_name,
    logoUrl: logo_url,
    color: primary_color,
    supportUrl: support_url,
    assetsPath: `${new URL(publicUrl).pathname.replace(/\/+$/, '')}${assetsPath}`,
  };
}
