/** @jsxImportSource preact */
import { Verb } from './operation/operation.tsx';
import type { Chapter } from './read-document.ts';
import { Link, useReference } from './reference-context.tsx';
import { hrefOf, type DocAnchor, type ReferencePage } from './reference-page.ts';

const introductionSteps = [
  ['service-providers', 'Service provider'],
  ['service-packages', 'Service package'],
  ['customers', 'Customer'],
  ['subscriptions', 'Subscription'],
  ['accounts', 'Account'],
  ['rooms', 'Room'],
  ['room-entry', 'Room entry'],
] as const;

/** An introduction, and an index of all pages with their sections. */
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

/** Has the ids of all sections of its page, so that `/docs#createRoom` finds them. */
function Card({ page }: { page: ReferencePage }) {
  const anchors = page.anchors.filter(({ isEntry }) => !isEntry);
  return (
    <article class="card" id={page.slug}>
      <h3>
        <a href={hrefOf(page)}>{page.title}</a>
      </h3>
      <p>{page.lead}</p>
      {anchors.length > 0 && (
        <ul>
          {anchors.map((anchor) => (
            <Entry key={anchor.id} page={page} anchor={anchor} />
          ))}
        </ul>
      )}
    </article>
  );
}

function Entry({ page, anchor: { id, title, verb } }: { page: ReferencePage; anchor: DocAnchor }) {
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
        A service provider hosts meetings, videos or streams, and a service package sells them. A customer subscribes to
        a package, divides the subscription into accounts, and creates rooms in them. Participants join with a room
        token or an access code. New here? <Link to="getting-started">Get started</Link>.
      </p>
      <ol>
        {introductionSteps.flatMap(([slug, name]) =>
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
          <dt>Base URL</dt>
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
