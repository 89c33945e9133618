/** @jsxImportSource preact */
import { Members, relationshipsOf } from './operation/members.tsx';
import { OperationSection } from './operation/operation.tsx';
import { Prose } from './prose.tsx';
import type { Chapter, NamedSchema, ReferenceOperation } from './read-document.ts';
import { Link, useReference } from './reference-context.tsx';
import type { DocAnchor, ReferencePage } from './reference-page.ts';
import { JsonSample } from './operation/sample.tsx';

/** A page for each tag of the document: its objects, then its operations. */
export function chapterPages(chapters: readonly Chapter[]): ReferencePage[] {
  const pages = chapters.map((chapter) => ({
    slug: chapter.slug,
    title: chapter.name,
    lead: chapter.description ?? '',
    group: groupOf(chapter.name),
    anchors: [...chapter.objects.map(objectAnchor), ...chapter.operations.map(operationAnchor)],
    content: () => <ChapterSection chapter={chapter} />,
  }));
  const order = [...Object.keys(groups), otherGroup];
  return pages.toSorted((one, other) => order.indexOf(one.group) - order.indexOf(other.group));
}

/** The groups of the contents; other tags come last. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'Logins and tokens': [
    'Authentication',
    'Second factor',
    'OAuth',
    'OAuth clients',
    'Personal access tokens',
    'Sessions',
  ],
  Platform: ['Administrators', 'Roles and permissions', 'Settings', 'Audit log', 'Events', 'Webhooks'],
  Catalogue: ['Features', 'Service providers', 'Service packages'],
  Customers: ['Customers', 'Users', 'Invitations', 'Subscriptions', 'Accounts', 'Reports'],
  Meetings: ['Rooms', 'Room entry', 'Meetings', 'Recordings', 'Videos'],
};
const otherGroup = 'Other';

function groupOf(tag: string): string {
  return Object.entries(groups).find(([, tags]) => tags.includes(tag))?.[0] ?? otherGroup;
}

function objectAnchor({ name, schema }: NamedSchema): DocAnchor {
  return { id: name, title: titleOf(name), words: () => [name, ...Object.keys(schema.properties ?? {})].join(' ') };
}

function operationAnchor({ name, verb, path, summary, operation, body }: ReferenceOperation): DocAnchor {
  const permission = operation['x-permission'];
  return {
    id: name,
    title: summary,
    verb,
    route: path,
    words: () =>
      [
        name,
        verb,
        path,
        ...(permission ? [permission.name, ...permission.scopes] : []),
        ...Object.keys(body?.schema.properties ?? {}),
      ].join(' '),
  };
}

function ChapterSection({ chapter }: { chapter: Chapter }) {
  return (
    <section class="chapter">
      <h1>{chapter.name}</h1>
      {chapter.description && <p class="lead">{chapter.description}</p>}
      <Routes operations={chapter.operations} />
      {chapter.objects.map((object) => (
        <ObjectSection key={object.name} object={object} />
      ))}
      {chapter.operations.map((endpoint) => (
        <OperationSection key={endpoint.name} endpoint={endpoint} />
      ))}
    </section>
  );
}

/** All operations of the page by verb and path. */
function Routes({ operations }: { operations: readonly ReferenceOperation[] }) {
  return (
    <ul class="routes">
      {operations.map(({ name, verb, path }) => (
        <li key={name}>
          <a href={`#${name}`}>
            <span class={`verb ${verb}`}>{verb.toUpperCase()}</span> <code>{path}</code>
          </a>
        </li>
      ))}
    </ul>
  );
}

function ObjectSection({ object: { name, schema } }: { object: NamedSchema }) {
  const { hrefs } = useReference();
  const relationships = relationshipsOf(schema);
  const example = schema.examples?.[0];
  return (
    <section class="object" id={name}>
      <div class="description">
        <h2>
          <a href={`#${name}`}>{titleOf(name)}</a>
        </h2>
        {schema.description && (
          <p>
            <Prose text={schema.description} />
          </p>
        )}
        {relationships.length > 0 && (
          <p class="side-note">
            <Link to="response-envelope">Relationships</Link>:{' '}
            {relationships.map(({ name: relation, target, isMany }, index) => (
              <>
                {index > 0 && ', '}
                <code>{relation}</code> {isMany ? 'list of ' : ''}
                {hrefs.has(target) ? <Link to={target}>{target}</Link> : target}
              </>
            ))}
          </p>
        )}
        <h3>Members</h3>
        <Members schema={schema} marksRequired={false} />
      </div>
      <div class="samples">{example !== undefined && <JsonSample title={name} value={example} />}</div>
    </section>
  );
}

/** `RoomToken` in words: The room token. */
export function titleOf(name: string): string {
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return `The ${words
    .replace(/ self$/, ' as the caller')
    .replace(/^o auth/, 'OAuth')
    .replace(/^oauth/, 'OAuth')
    .replace(/ object$/, '')}`;
}
