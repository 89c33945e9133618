/** @jsxImportSource preact */
import type { OpenApiDocument } from '@foyer/contract/openapi-document.ts';
import { Codes, Prose, Table } from './prose.tsx';

export const catalogueChapters = [
  { id: 'error-codes', title: 'Error codes' },
  { id: 'permissions-and-scopes', title: 'Permissions and scopes' },
  { id: 'feature-catalogue', title: 'Feature catalogue' },
] as const;

/** The closed lists of the API, complete. */
export function Catalogues({ document }: { document: OpenApiDocument }) {
  return (
    <>
      <ErrorCodes document={document} />
      <Permissions document={document} />
      <Features document={document} />
    </>
  );
}

function ErrorCodes({ document }: { document: OpenApiDocument }) {
  const codes = document['x-error-codes'].toSorted((one, other) => one.status - other.status);
  return (
    <section class="chapter catalogue" id="error-codes">
      <h2>
        <a href="#error-codes">Error codes</a>
      </h2>
      <p class="lead">
        Every <code>code</code> that an error can carry.
      </p>
      <Table heads={['Status', 'Code', 'What it says']}>
        {codes.map(({ code, status, meaning }) => (
          <tr key={code}>
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
    <section class="chapter catalogue" id="permissions-and-scopes">
      <h2>
        <a href="#permissions-and-scopes">Permissions and scopes</a>
      </h2>
      <p class="lead">
        Roles hold permissions, administrators hold roles. Besides the permission the caller needs the reads that it
        requires, and a token whose scopes cover them.
      </p>
      <Table heads={['Permission', 'Requires', 'Scope']}>
        {document['x-permissions'].map(({ name, requires, scope }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td data-label={requires.length > 0 ? 'requires' : undefined}>
              <Codes words={requires} />
            </td>
            <td data-label="scope">
              <code>{scope}</code>
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Features({ document }: { document: OpenApiDocument }) {
  return (
    <section class="chapter catalogue" id="feature-catalogue">
      <h2>
        <a href="#feature-catalogue">Feature catalogue</a>
      </h2>
      <p class="lead">
        What packages can sell. A limit is a whole number from 0 on or <code>unlimited</code>, a switch{' '}
        <code>true</code> or <code>false</code>; both are printed as text.
      </p>
      <Table heads={['Feature', 'Kind', 'Where it is absent', 'What it means']}>
        {document['x-features'].map(({ code, valueType, unit, consumable, absentValue, description, ...feature }) => (
          <tr key={code}>
            <th scope="row">
              <code>{code}</code>
            </th>
            <td>{valueType === 'flag' ? 'switch' : `${valueType}${unit ? `, ${unit}` : ''}`}</td>
            <td data-label="where absent">
              <code>{absentValue}</code>
            </td>
            <td>
              {description}
              {consumable && (
                <em> Used up{feature.resettablePeriod > 0 && `, anew each ${feature.resettableInterval}`}.</em>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
