/** @jsxImportSource preact */
import type { OpenApiDocument } from '@foyer/contract/openapi-document.ts';
import type { ComponentChild } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { cataloguePages } from './catalogues.tsx';
import { chapterPages } from './chapter.tsx';
import { guidePages } from './guide/guide-pages.tsx';
import { FrontPage } from './front-page.tsx';
import { Shell } from './page-shell.tsx';
import { readChapters } from './read-document.ts';
import { hrefOf, type ReferencePage } from './reference-page.ts';
import { ReferenceContext, type ReferenceState } from './reference-context.tsx';

export interface Reference {
  /** The HTML of a page; the empty name is the front page. Null where there is none. */
  readonly html: (slug: string) => string | null;
  /** The JSON that the search looks into: one `[title, page, address, verb, words]` for each place. */
  readonly searchIndex: () => string;
  readonly slugs: readonly string[];
}

/** The reference to browse: a front page, and one page for each topic, chapter and catalogue. It reads in full without scripts. */
export function makeReference(document: OpenApiDocument): Reference {
  const chapters = readChapters(document);
  const server = document.servers[0]?.url ?? '';
  const root = server.replace(/\/api\/v1$/, '');
  const pages = [...guidePages({ server, root }), ...cataloguePages(document), ...chapterPages(chapters)];
  const state: ReferenceState = {
    document,
    server,
    root,
    meanings: new Map(document['x-error-codes'].map(({ code, meaning }) => [code as string, meaning])),
    hrefs: hrefsOf(pages),
  };
  function inContext(content: ComponentChild): string {
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
    return `<!doctype html>${inContext(shell)}`;
  }
  function searchIndex(): string {
    return JSON.stringify(
      pages.flatMap((page) => [
        [page.title, page.group, hrefOf(page), '', page.lead],
        ...page.places.map(({ id, title, verb = '', words }) => [title, page.title, hrefOf(page, id), verb, words()]),
      ]),
    );
  }
  return { html, searchIndex, slugs: ['', ...pages.map(({ slug }) => slug)] };
}

/** @throws when two places have one name: links could not tell them apart. */
function hrefsOf(pages: readonly ReferencePage[]): ReadonlyMap<string, string> {
  const hrefs = new Map<string, string>();
  function add(name: string, href: string): void {
    if (hrefs.has(name)) throw new Error(`Two places of the reference are called ${name}.`);
    hrefs.set(name, href);
  }
  for (const page of pages) {
    add(page.slug, hrefOf(page));
    for (const { id } of page.places) add(id, hrefOf(page, id));
  }
  return hrefs;
}
