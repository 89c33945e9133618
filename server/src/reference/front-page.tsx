/** @jsxImportSource preact */
import { Verb } from './operation.tsx';
import type { Chapter } from './read-document.ts';
import { Link, useReference } from './reference-context.tsx';
import { hrefOf, type Place, type ReferencePage } from './reference-page.ts';

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

/** What the platform is, and where everything is told: an index of all pages with all that is on them. */
export function FrontPage({ pages, chapters }: { pages: readonly ReferencePage[]; chapters: readonly Chapter[] }) {
  const groups = [...new Set(pages.map(({ group }) => group))];
  return (
    <>
      <Introduction chapters={chapters} />
      {groups.map((group) => (
        <section key={group} class="index">
          <h2>{group}</h2>
          <div class="cards">
            {pages
              .filter((page) => page.group === group)
              .map((page) => (
                <Card key={page.slug} page={page} />
              ))}
          </div>
        </section>
      ))}
    </>
  );
}

/** Carries the names of all places of its page, so that an address with one of them leads here at least. */
function Card({ page }: { page: ReferencePage }) {
  const places = page.places.filter(({ isEntry }) => !isEntry);
  return (
    <article class="card" id={page.slug}>
      <h3>
        <a href={hrefOf(page)}>{page.title}</a>
      </h3>
      <p>{page.lead}</p>
      {places.length > 0 && (
        <ul>
          {places.map((place) => (
            <Entry key={place.id} page={page} place={place} />
          ))}
        </ul>
      )}
    </article>
  );
}

function Entry({ page, place: { id, title, verb } }: { page: ReferencePage; place: Place }) {
  return (
    <li id={id}>
      <a href={hrefOf(page, id)}>
        {verb && <Verb verb={verb} />}
        {title}
      </a>
    </li>
  );
}

function Introduction({ chapters }: { chapters: readonly Chapter[] }) {
  const { document, server } = useReference();
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
                  <Link to={slug}>{name}</Link>
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
