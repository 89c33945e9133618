/** @jsxImportSource preact */
import type { OpenApiDocument } from '@foyer/contract/openapi-document.ts';
import { createHash } from 'node:crypto';
import { renderToString } from 'preact-render-to-string';
import { catalogueChapters, Catalogues } from './catalogues.tsx';
import { ChapterSection, titleOf } from './chapter.tsx';
import { Guide, guideChapters } from './guide.tsx';
import { Verb } from './operation.tsx';
import { type Chapter, readChapters } from './read-document.ts';
import { referenceScript } from './reference-script.ts';
import { referenceStyle } from './reference-style.ts';

/** The reference to browse, and what it loads. It reads in full without the script. */
export function referencePage(document: OpenApiDocument): { html: string; css: string; js: string } {
  return {
    html: `<!doctype html>${renderToString(<Page document={document} />)}`,
    css: referenceStyle,
    js: referenceScript,
  };
}

function Page({ document }: { document: OpenApiDocument }) {
  const chapters = readChapters(document);
  const server = document.servers[0]?.url ?? '';
  const root = server.replace(/\/api\/v1$/, '');
  const meanings = new Map(document['x-error-codes'].map(({ code, meaning }) => [code as string, meaning]));
  const objects = new Set(chapters.flatMap((chapter) => chapter.objects.map(({ name }) => name)));
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content={document.info.summary} />
        <title>{`${document.info.title} reference`}</title>
        <link rel="icon" href={icon} />
        <link rel="stylesheet" href={`/docs/reference.css?v=${fingerprint(referenceStyle)}`} />
        <script src={`/docs/reference.js?v=${fingerprint(referenceScript)}`} defer />
      </head>
      <body id="top">
        <a class="skip" href="#introduction">
          Skip the contents
        </a>
        <header class="bar">
          <Brand title={document.info.title} version={document.info.version} />
          <a class="button" href="#contents">
            Contents
          </a>
        </header>
        <Contents document={document} chapters={chapters} />
        <main>
          <Introduction document={document} server={server} chapters={chapters} />
          <Guide server={server} root={root} />
          <Catalogues document={document} />
          {chapters.map((chapter) => (
            <ChapterSection key={chapter.slug} {...{ chapter, server, meanings, objects }} />
          ))}
          <p class="none" hidden>
            Nothing here is called that.
          </p>
        </main>
      </body>
    </html>
  );
}

function Brand({ title, version }: { title: string; version: string }) {
  return (
    <a class="brand" href="#top">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={door} />
      </svg>
      {title}
      <span>{version}</span>
    </a>
  );
}

function Contents({ document, chapters }: { document: OpenApiDocument; chapters: readonly Chapter[] }) {
  return (
    <nav id="contents" aria-label="Contents">
      <div class="head">
        <Brand title={document.info.title} version={document.info.version} />
        <a class="button" href="#top">
          Close
        </a>
        <label class="search" hidden>
          <span class="unseen">Find an operation</span>
          <input type="search" placeholder="Find an operation" autocomplete="off" spellcheck={false} />
          <kbd aria-hidden="true">/</kbd>
        </label>
        <p class="found unseen" role="status" />
      </div>
      <ul class="guide">
        <li>
          <a href="#introduction">Introduction</a>
        </li>
        {[...guideChapters, ...catalogueChapters].map(({ id, title }) => (
          <li key={id}>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
      {chapters.map((chapter) => (
        <details key={chapter.slug} data-chapter={chapter.slug}>
          <summary>{chapter.name}</summary>
          <ul>
            {chapter.objects.map(({ name }) => (
              <li key={name}>
                <a href={`#${name}`}>{titleOf(name)}</a>
              </li>
            ))}
            {chapter.operations.map(({ name, verb, summary }) => (
              <li key={name}>
                <a href={`#${name}`} title={summary}>
                  <Verb verb={verb} />
                  {summary}
                </a>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </nav>
  );
}

/** From what delivers a meeting to who is in it. */
const way = [
  ['service-providers', 'Service provider'],
  ['service-packages', 'Service package'],
  ['customers', 'Customer'],
  ['subscriptions', 'Subscription'],
  ['accounts', 'Account'],
  ['rooms', 'Room'],
  ['room-entry', 'Door'],
] as const;

interface IntroductionProperties {
  document: OpenApiDocument;
  server: string;
  chapters: readonly Chapter[];
}

function Introduction({ document, server, chapters }: IntroductionProperties) {
  const operations = Object.values(document.paths).flatMap((verbs) => Object.keys(verbs)).length;
  return (
    <section class="introduction" id="introduction">
      <h1>{document.info.title}</h1>
      <p class="lead">{document.info.summary}</p>
      <p>
        A service provider delivers meetings, and a service package sells them. A customer subscribes to a package,
        splits the subscription into accounts, and opens rooms in them; tokens and access codes let people in.
      </p>
      <ol>
        {way.flatMap(([slug, name]) =>
          chapters.some((chapter) => chapter.slug === slug)
            ? [
                <li key={slug}>
                  <a href={`#${slug}`}>{name}</a>
                </li>,
              ]
            : [],
        )}
      </ol>
      <dl>
        <div>
          <dt>Address</dt>
          <dd>
            <code>{server}</code>
          </dd>
        </div>
        <div>
          <dt>Operations</dt>
          <dd>{operations}</dd>
        </div>
        <div>
          <dt>OpenAPI 3.1</dt>
          <dd>
            <a href="/openapi.json">openapi.json</a>
          </dd>
        </div>
      </dl>
    </section>
  );
}

/** An open door, on a square of 24 by 24. */
const door = 'M3 22V11a9 9 0 0 1 18 0v11h-3.500V11a5.500 5.500 0 0 0-6.500-5.400V22z';
const icon = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#1f6b5c" d="${door}"/></svg>`,
)}`;

export function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
