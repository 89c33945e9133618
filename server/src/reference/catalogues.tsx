/** @jsxImportSource preact */
import type { OpenApiDocument } from '@foyer/contract/openapi/document.ts';
import { Prose, Table } from './prose.tsx';
import { LinkedCodes } from './reference-context.tsx';
import type { DocAnchor, ReferencePage } from './reference-page.ts';

/** One page for each closed list of the API. */
export function cataloguePages(document: OpenApiDocument): ReferencePage[] {
  const entry = (id: string, words: string): DocAnchor => ({ id, title: id, isEntry: true, words: () => words });
  return [
    {
      slug: 'error-codes',
      title: 'Error codes',
      lead: 'Every code that an error can have.',
      anchors: document['x-error-codes'].map(({ code, status, meaning }) => entry(code, `${status} ${meaning}`)),
      content: () => <ErrorCodes document={document} />,
    },
    {
      slug: 'permissions-and-scopes',
      title: 'Permissions and scopes',
      lead: 'The permissions of roles, the permissions that each one requires, and the scopes of tokens.',
      anchors: [
        ...document['x-permissions'].map(({ name, scope, description }) => entry(name, `${scope} ${description}`)),
        { id: 'all-scopes', title: 'All scopes', words: () => '' },
        ...document['x-scopes'].map(({ scope, meaning }) => entry(scope, meaning)),
      ],
      content: () => <Permissions document={document} />,
    },
    {
      slug: 'feature-catalogue',
      title: 'Feature catalogue',
      lead: 'The limits and switches that a service package can sell.',
      anchors: document['x-features'].map(({ code, description }) => entry(code, description)),
      content: () => <Features document={document} />,
    },
  ].map((page) => ({ ...page, group: 'Catalogues' }));
}

function ErrorCodes({ document }: { document: OpenApiDocument }) {
  const codes = document['x-error-codes'].toSorted((one, other) => one.status - other.status);
  return (
    <section class="chapter catalogue">
      <h1>Error codes</h1>
      <p class="lead">
        Every <code>code</code> that an error can carry.
      </p>
      <Table heads={['Status', 'Code', 'Meaning']}>
        {codes.map(({ code, status, meaning }) => (
          <tr key={code} id={code}>
            <td>{status}</td>
            <th scope="row">
              <code>{code}</code>
            </th>
            <td>
              <Prose text={meaning} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Permissions({ document }: { document: OpenApiDocument }) {
  return (
    <section class="chapter catalogue">
      <h1>Permissions and scopes</h1>
      <p class="lead">
        Roles hold permissions, and administrators hold roles. A caller also needs the permissions that a permission
        requires, and a token with the scope.
      </p>
      <Table heads={['Permission', 'Requires', 'Scope']}>
        {document['x-permissions'].map(({ name, requires, scope }) => (
          <tr key={name} id={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td data-label={requires.length > 0 ? 'requires' : undefined}>
              <LinkedCodes words={requires} />
            </td>
            <td data-label="scope">
              <LinkedCodes words={[scope]} />
            </td>
          </tr>
        ))}
      </Table>
      <h2 id="all-scopes">All scopes</h2>
      <Table heads={['Scope', 'Meaning']}>
        {document['x-scopes'].map(({ scope, meaning }) => (
          <tr key={scope} id={scope}>
            <th scope="row">
              <code>{scope}</code>
            </th>
            <td>{meaning}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Features({ document }: { document: OpenApiDocument }) {
  return (
    <section class="chapter catalogue">
      <h1>Feature catalogue</h1>
      <p class="lead">
        The features that a service package can sell. A limit is a whole number or <code>unlimited</code>, a switch is{' '}
        <code>true</code> or <code>false</code>. The API returns both as strings. A package without the feature has the
        default.
      </p>
      <Table heads={['Feature', 'Kind', 'Default', 'Meaning']}>
        {document['x-features'].map(({ code, valueType, unit, consumable, absentValue, description, ...feature }) => (
          <tr key={code} id={code}>
            <th scope="row">
              <code>{code}</code>
            </th>
            <td>{valueType === 'flag' ? 'switch' : `${valueType}${unit ? `, ${unit}` : ''}`}</td>
            <td data-label="default">
              <code>{absentValue}</code>
            </td>
            <td>
              {description}
              {consumable && (
                <em> Counted{feature.resettablePeriod > 0 && `, and reset each ${feature.resettableInterval}`}.</em>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
