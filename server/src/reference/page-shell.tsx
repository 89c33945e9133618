/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { fingerprint, logoPath } from '../platform/page/page-assets.ts';
import { Verb } from './operation/operation.tsx';
import { useReference } from './reference-context.tsx';
import { hrefOf, type ReferencePage } from './reference-page.ts';
import { referenceScript } from './reference-script.ts';
import { referenceStyle } from './reference-style.ts';

interface ShellProperties {
  readonly pages: readonly ReferencePage[];
  /** Null on the front page. */
  readonly page: ReferencePage | null;
  readonly children: ComponentChildren;
}

/** The frame of every page: head, contents, and links to the previous and next page. */
export function Shell({ pages, page, children }: ShellProperties) {
  const { info } = useReference().document;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content={page?.lead ?? info.summary} />
        <title>{page ? `${page.title} · ${info.title}` : `${info.title} reference`}</title>
        <link rel="icon" href={icon} />
        <link rel="stylesheet" href={`/docs/reference.css?v=${fingerprint(referenceStyle)}`} />
        <script src={`/docs/reference.js?v=${fingerprint(referenceScript)}`} defer />
      </head>
      <body id="top">
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header class="bar">
          <Brand />
          <a class="button" href="#contents">
            Contents
          </a>
        </header>
        <Contents pages={pages} page={page} />
        <main id="main" tabIndex={-1}>
          {children}
          {page && <Pager pages={pages} page={page} />}
        </main>
      </body>
    </html>
  );
}

function Brand() {
  const { title, version } = useReference().document.info;
  return (
    <a class="brand" href="/docs">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={logoPath} />
      </svg>
      {title}
      <span>{version}</span>
    </a>
  );
}

function Contents({ pages, page }: { pages: readonly ReferencePage[]; page: ReferencePage | null }) {
  const groups = [...new Set(pages.map(({ group }) => group))];
  return (
    <nav id="contents" aria-label="Contents">
      <div class="head">
        <Brand />
        <a class="button" href="#main">
          Close
        </a>
        <label class="search" hidden data-index="/docs/search.json">
          <span class="visually-hidden">Search the reference</span>
          <input type="search" placeholder="Search" autocomplete="off" spellcheck={false} />
          <kbd aria-hidden="true">/</kbd>
        </label>
        <p class="visually-hidden" role="status" />
      </div>
      <ol class="search-results" hidden />
      <div class="pages">
        {groups.map((group) => (
          <section key={group}>
            <h2>{group}</h2>
            <ul>
              {pages
                .filter((candidate) => candidate.group === group)
                .map((candidate) => (
                  <li key={candidate.slug}>
                    <a href={hrefOf(candidate)} aria-current={candidate === page ? 'page' : undefined}>
                      {candidate.title}
                    </a>
                    {candidate === page && <PageAnchors page={page} />}
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </div>
    </nav>
  );
}

function PageAnchors({ page }: { page: ReferencePage }) {
  const anchors = page.anchors.filter(({ isEntry }) => !isEntry);
  if (anchors.length === 0) return null;
  return (
    <ul class="anchors">
      {anchors.map(({ id, title, verb }) => (
        <li key={id}>
          <a href={`#${id}`}>
            {verb && <Verb verb={verb} />}
            {title}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Pager({ pages, page }: { pages: readonly ReferencePage[]; page: ReferencePage }) {
  const index = pages.indexOf(page);
  const previousPage = pages[index - 1];
  const nextPage = pages[index + 1];
  return (
    <footer class="pager">
      {previousPage && (
        <a href={hrefOf(previousPage)} rel="prev">
          <span>Previous</span> {previousPage.title}
        </a>
      )}
      {nextPage && (
        <a href={hrefOf(nextPage)} rel="next">
          <span>Next</span> {nextPage.title}
        </a>
      )}
    </footer>
  );
}

const icon = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#1f6b5c" d="${logoPath}"/></svg>`,
)}`;
