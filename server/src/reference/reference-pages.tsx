/** @jsxImportSource preact */
import type { OpenApiDocument } from '@foyer/contract/openapi/document.ts';
import type { ComponentChild } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { cataloguePages } from './catalogues.tsx';
import { chapterPages } from './chapter.tsx';
import { guidePages } from './guide/guide-pages.tsx';
import type { GuideFile } from './guide/read-guide.ts';
import { FrontPage } from './front-page.tsx';
import { Shell } from './page-shell.tsx';
import { readChapters } from './read-document.ts';
import { hrefOf, type ReferencePage } from './reference-page.ts';
import { ReferenceContext, type ReferenceState } from './reference-context.tsx';

export interface Reference {
  /** The HTML of a page, null if there is none. The front page has the empty slug. */
  readonly html: (slug: string) => string | null;
  /** The search index as JSON: one `[title, page, address, verb, words]` for each page and section. */
  readonly searchIndex: () => string;
  readonly slugs: readonly string[];
}

/** The pages of `/docs`: a front page, the guide, the catalogues, and one page for each tag. They work without scripts. */
export function makeReference(document: OpenApiDocument, guide: readonly GuideFile[]): Reference {
  const chapters = readChapters(document);
  const server = document.servers[0]?.url ?? '';
  const root = server.replace(/\/api\/v1$/, '');
  const pages = [...guidePages(guide), ...cataloguePages(document), ...chapterPages(chapters)];
  const state: ReferenceState = {
    document,
    server,
    root,
    meanings: new Map(document['x-error-codes'].map(({ code, meaning }) => [code as string, meaning])),
    hrefs: hrefsOf(pages),
  };
  function renderInContext(content: ComponentChild): string {
    return renderToString(<ReferenceContext.Provider value={state}>{content}</ReferenceContext.Provider>);
  }
  function html(slug: string): string | null {
    const page = pages.find((candidate) => candidate.slug === slug) ?? null;
    if (!page && slug !== '') return null;
    const shell = (
      <Shell pages={pages} page={page}>
        {page ? page.content() : <FrontPage pages={pages} chapters={chapters} />}
      </Shell>
    );
    return `<!doctype html>${renderInContext(shell)}`;
  }
  function searchIndex(): string {
    return JSON.stringify(
      pages.flatMap((page) => [
        [page.title, page.group, hrefOf(page), '', page.lead],
        ...page.anchors.map(({ id, title, verb = '', words }) => [title, page.title, hrefOf(page, id), verb, words()]),
      ]),
    );
  }
  return { html, searchIndex, slugs: ['', ...pages.map(({ slug }) => slug)] };
}

/** @throws when two sections have the same name. */
function hrefsOf(pages: readonly ReferencePage[]): ReadonlyMap<string, string> {
  const hrefs = new Map<string, string>();
  function add(name: string, href: string): void {
    if (hrefs.has(name)) throw new Error(`Two sections of the reference are called ${name}.`);
    hrefs.set(name, href);
  }
  for (const page of pages) {
    add(page.slug, hrefOf(page));
    for (const { id, verb, route } of page.anchors) {
      add(id, hrefOf(page, id));
      if (verb && route) add(`${verb.toUpperCase()} ${route}`, hrefOf(page, id));
    }
  }
  return hrefs;
}
