/** @jsxImportSource preact */
import type { Operation as OpenApiOperation, Parameter } from '@foyer/contract/openapi/document.ts';
import { Members, Parameters } from './members.tsx';
import { Errors } from './operation-errors.tsx';
import { Samples } from './operation-samples.tsx';
import { Codes, Prose } from '../prose.tsx';
import type { ReferenceOperation } from '../read-document.ts';
import { Link, LinkedCodes } from '../reference-context.tsx';

export function OperationSection({ endpoint }: { endpoint: ReferenceOperation }) {
  const { name, verb, path, summary, paragraphs, operation, pathParameters, queryParameters, list, body } = endpoint;
  return (
    <section class="operation" id={name}>
      <div class="description">
        <h2>
          <a href={`#${name}`}>{summary}</a>
        </h2>
        <p class="route">
          <Verb verb={verb} />
          <code>
            <Path path={path} />
          </code>
        </p>
        {paragraphs.map((text) => (
          <p key={text}>
            <Prose text={text} />
          </p>
        ))}
        <WhoMayCall operation={operation} />
        {pathParameters.length > 0 && (
          <>
            <h3>Path</h3>
            <Parameters parameters={pathParameters} />
          </>
        )}
        {list && <ListQuery endpoint={endpoint} />}
        {!list && <OwnQuery parameters={queryParameters.filter(({ name }) => !sharedQuery.has(name))} />}
        {!list && queryParameters.some(({ name }) => sharedQuery.has(name)) && <SharedQuery endpoint={endpoint} />}
        <Headers endpoint={endpoint} />
        {body && (
          <>
            <h3>Body{body.isForm && <span> JSON or form</span>}</h3>
            <Members schema={body.schema} marksRequired={true} reservedFor={reservedCallersOf(operation)} />
          </>
        )}
        <FileBody types={endpoint.fileTypes} />
        <Errors endpoint={endpoint} />
      </div>
      <Samples endpoint={endpoint} />
    </section>
  );
}

export function Verb({ verb }: { verb: string }) {
  return <span class={`verb ${verb}`}>{verb.toUpperCase()}</span>;
}

function Path({ path }: { path: string }) {
  return <>{path.split(/(\{\w+\})/).map((part) => (part.startsWith('{') ? <var key={part}>{part}</var> : part))}</>;
}

/** The permission of administrators, the right of users, or a sentence for endpoints that need neither. */
function WhoMayCall({ operation }: { operation: OpenApiOperation }) {
  const { 'x-permission': permission, 'x-access': access } = operation;
  if (!permission) {
    return (
      <p class={`access ${access.kind}`}>
        <Prose text={access.sentence} />
      </p>
    );
  }
  const { users } = access;
  return (
    <dl class="access permission">
      <dt>
        <Link to="administrator-permissions">Administrators</Link>
      </dt>
      <dd>
        <LinkedCodes words={[permission.name]} />
        {permission.requires.length > 0 && (
          <>
            {' '}
            with <LinkedCodes words={permission.requires} />
          </>
        )}
      </dd>
      {users && (
        <>
          <dt>
            <Link to="memberships-and-rights">Users</Link>
          </dt>
          <dd>
            <Codes words={[users.right]} />
            {users.requires && (
              <>
                {' '}
                with <Codes words={[users.requires]} />
              </>
            )}
            {users.on ? ` on the ${users.on.level}` : ' on the resources of their memberships'}
          </dd>
        </>
      )}
      <dt>
        <Link to="token-scopes">Scopes</Link>
      </dt>
      <dd>
        <LinkedCodes words={permission.scopes} />
      </dd>
    </dl>
  );
}

/** The callers for whom members of the body are reserved, by the name of the member. */
function reservedCallersOf(operation: OpenApiOperation): ReadonlyMap<string, string> {
  return new Map([
    ...(operation['x-reserved'] ?? []).map((name) => [name, 'administrators only'] as const),
    ...(operation['x-reserved-from-above'] ?? []).map((name) => [name, 'from above only'] as const),
  ]);
}

/** The section of the guide about each header. */
const headerTopics: Readonly<Record<string, string>> = {
  'Idempotency-Key': 'idempotent-requests',
  'If-Match': 'conditional-updates',
  'If-None-Match': 'conditional-reads',
};

function Headers({ endpoint }: { endpoint: ReferenceOperation }) {
  const headers = endpoint.headerParameters.filter(({ name }) => headerTopics[name]);
  if (headers.length === 0) return null;
  return (
    <p class="side-note">
      Header fields:{' '}
      {headers.map(({ name }, index) => (
        <>
          {index > 0 && ', '}
          <Link to={headerTopics[name] ?? ''}>
            <code>{name}</code>
          </Link>
        </>
      ))}
    </p>
  );
}

function ListQuery({ endpoint }: { endpoint: ReferenceOperation }) {
  const { list, queryParameters } = endpoint;
  if (!list) return null;
  const special = ['orderBy', 'search', 'include'];
  const otherNames = queryParameters.map(({ name }) => name).filter((name) => !special.includes(name));
  const freeTextFields = new Set(list.freeText);
  return (
    <>
      <h3>
        Query <Link to="lists">as in every list</Link>
      </h3>
      <table class="members">
        <tbody>
          <tr>
            <th>
              <code>orderBy</code>
              <code>search</code>
            </th>
            <td>
              <span class="choices">
                {list.fields.map((field) => (
                  <code key={field} class={freeTextFields.has(field) ? 'free' : undefined}>
                    {field}
                  </code>
                ))}
              </span>
              {freeTextFields.size > 0 && <p>A search without a field name searches the underlined fields.</p>}
            </td>
          </tr>
          {list.includes.length > 0 && (
            <tr>
              <th>
                <code>include</code>
              </th>
              <td>
                <span class="choices">
                  <Codes words={list.includes} />
                </span>
              </td>
            </tr>
          )}
          <tr>
            <th>
              <span>and</span>
            </th>
            <td>
              <span class="choices">
                <Codes words={otherNames} />
              </span>
            </td>
          </tr>
        </tbody>
      </table>
    </>
  );
}

const sharedQuery: ReadonlySet<string> = new Set(['include', 'filter']);

function FileBody({ types }: { types: readonly string[] }) {
  if (types.length === 0) return null;
  return (
    <>
      <h3>Body</h3>
      <p class="side-note">
        A file: <Codes words={types} />
      </p>
    </>
  );
}

function OwnQuery({ parameters }: { parameters: readonly Parameter[] }) {
  if (parameters.length === 0) return null;
  return (
    <>
      <h3>Query</h3>
      <Parameters parameters={parameters} />
    </>
  );
}

/** `include` and `filter` work the same everywhere, so the guide explains them. */
function SharedQuery({ endpoint }: { endpoint: ReferenceOperation }) {
  const includes = endpoint.success.example as { meta?: { include?: string[] } } | undefined;
  return (
    <p class="side-note">
      <Link to="response-envelope">Query</Link>:{' '}
      {endpoint.queryParameters
        .filter(({ name }) => sharedQuery.has(name))
        .map(({ name }, index) => (
          <>
            {index > 0 && ', '}
            <code>{name}</code>
            {name === 'include' && (
              <>
                {' '}
                (<Codes words={includes?.meta?.include ?? []} />)
              </>
            )}
          </>
        ))}
    </p>
  );
}
