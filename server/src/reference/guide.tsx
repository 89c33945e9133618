/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { codesOfEveryBody, codesOfEveryRequest } from './operation.tsx';
import { Codes, Prose, Table } from './prose.tsx';
import { paintCurl, paintJson, Sample } from './sample.tsx';

/** What a newcomer reads first: getting in, and the manners that hold for every request. */
export const guideChapters = [
  { id: 'getting-in', title: 'Getting in' },
  { id: 'conventions', title: 'Conventions' },
  { id: 'lists', title: 'Lists and searches' },
  { id: 'errors', title: 'Errors' },
] as const;

export function Guide({ server, root }: { server: string; root: string }) {
  return (
    <>
      <Authentication server={server} root={root} />
      <Conventions server={server} />
      <Lists server={server} />
      <Errors />
    </>
  );
}

function Part({ id, title, children }: { id: string; title: string; children: ComponentChildren }) {
  return (
    <section class="chapter" id={id}>
      <h2>
        <a href={`#${id}`}>{title}</a>
      </h2>
      {children}
    </section>
  );
}

function Topic(properties: { id: string; title: string; children: ComponentChildren; samples?: ComponentChildren }) {
  const { id, title, children, samples } = properties;
  return (
    <section class="topic" id={id}>
      <div class="said">
        <h3>
          <a href={`#${id}`}>{title}</a>
        </h3>
        {children}
      </div>
      <div class="samples">{samples}</div>
    </section>
  );
}

const tokens = {
  token_type: 'Bearer',
  expires_in: 3600,
  access_token: 'fat_4Vt0c1mZq8XoJ2yR…',
  refresh_token: 'frt_9Kd2xWm5TzQ1vYb8…',
  scope: '*',
};

function Authentication({ server, root }: { server: string; root: string }) {
  const login = paintCurl({
    verb: 'post',
    url: `${root}/oauth/proxy/login`,
    needsToken: false,
    body: { username: 'admin', password: '…' },
  });
  const refresh = paintCurl({
    verb: 'post',
    url: `${root}/oauth/proxy/login/refresh`,
    needsToken: false,
    body: { refresh_token: tokens.refresh_token },
  });
  return (
    <Part id="getting-in" title="Getting in">
      <p class="lead">Every request carries an access token, except those that hand one out and the door of a room.</p>
      <Topic
        id="log-in"
        title="1. Log in"
        samples={
          <>
            <Sample title="Request" wraps html={login} />
            <Sample title="200 Answer" html={paintJson(tokens)} />
          </>
        }
      >
        <p>
          Administrators and customers' users are two populations that never mix, each with a login of its own:{' '}
          <code>/oauth/proxy/login</code> and <code>/oauth/proxy/users/login</code>. The name is the user name or the
          email.
        </p>
        <p>
          A wrong name, a wrong password and an inactive account get one and the same answer. The login also sets the
          cookie <code>refresh_token</code> for pages of the platform itself; pages of other sites are refused.
        </p>
      </Topic>
      <Topic
        id="call"
        title="2. Call with the token"
        samples={
          <Sample
            title="Request"
            wraps
            html={`TOKEN=<i>${tokens.access_token}</i>\n\n${paintCurl({ verb: 'get', url: `${server}/admins/me`, needsToken: true })}`}
          />
        }
      >
        <p>
          Send it as <code>Authorization: Bearer …</code>. An administrator may do what the permissions of all roles
          together allow, as far as the scopes of the token go. Revoked tokens, changed roles and deactivated people are
          noticed on the very next request.
        </p>
      </Topic>
      <Topic id="refresh" title="3. Renew, and log out" samples={<Sample title="Request" wraps html={refresh} />}>
        <p>
          An access token lives for <code>expires_in</code> seconds. Exchange the refresh token for a new pair before
          that; each refresh token is good for one exchange. <code>DELETE /logout</code> ends both.
        </p>
        <p>
          Programs with an OAuth client of their own use <a href="#issueToken">the token endpoint</a> of RFC 6749
          instead.
        </p>
      </Topic>
    </Part>
  );
}

const resourceAnswer = {
  data: { object: 'Room', id: 'room_01kgh98tqd…', room_name: 'Portuguese B1' },
  meta: { include: ['tokens', 'account'], custom: [] },
};

function Conventions({ server }: { server: string }) {
  const filtered = `${server}/rooms/room_01kgh98tqd…?include=account&filter=id,room_name,account_name`;
  return (
    <Part id="conventions" title="Conventions">
      <p class="lead">What holds for every request and every answer.</p>
      <Topic
        id="identifiers"
        title="Identifiers"
        samples={
          <Sample
            title="One room, three times"
            html={paintJson({
              id: 'room_01kgh98tqdeap9w3b971jfs1df',
              uuid: '019c2294-6aed-72ac-9e0d-693864fc85af',
              ulid: '01kgh98tqdeap9w3b971jfs1df',
            })}
          />
        }
      >
        <p>
          Every row has one identifier in three forms: the <code>id</code> names its type in front, the{' '}
          <code>uuid</code> is the same 128 bits as usual, the <code>ulid</code> as 26 characters. Wherever an
          identifier is taken, in paths, bodies and searches, each form is. They sort by age.
        </p>
        <p>An identifier of another type is a 404 in a path, a 422 in a body, and finds nothing in a search.</p>
      </Topic>
      <Topic id="timestamps" title="Times and days">
        <p>
          Instants are UTC with six digits: <code>2026-02-27T16:40:05.771930Z</code>. Days are printed as their first
          moment, <code>2026-03-01T00:00:00.000000Z</code>; on the way in a date will do, and a time is dropped. Members
          called <code>readable_…</code> say it in words, in the language of the caller.
        </p>
      </Topic>
      <Topic
        id="envelopes"
        title="Answers, include and filter"
        samples={
          <>
            <Sample title="Answer" html={paintJson(resourceAnswer)} />
            <Sample title="Request" wraps html={paintCurl({ verb: 'get', url: filtered, needsToken: true })} />
          </>
        }
      >
        <p>
          A resource comes in <code>data</code>, and <code>meta.include</code> names the relationships that it has.{' '}
          <code>?include=account,tokens</code> adds them, nested with dots to a depth of four:{' '}
          <code>account.customer</code>. What is unknown, or not for the caller, is left out and named in{' '}
          <code>meta.custom.ignored_includes</code>.
        </p>
        <p>
          <code>?filter=id,room_name</code> answers with these members only, in included resources as well. Both work on
          every request that answers with a resource, on writes, too.
        </p>
        <p>Creating answers 201, deleting 204 without a body, everything else 200 (logging out 202).</p>
      </Topic>
      <Topic id="bodies" title="Bodies">
        <p>
          JSON of at most 1 MiB. Text is trimmed, and an empty text is null. In a PATCH what is absent stays as it is,
          and null clears. Unknown members are ignored; members that never change are a 422 only when they differ.
        </p>
      </Topic>
      <Topic
        id="metadata"
        title="Metadata"
        samples={
          <Sample
            title="Metadata"
            html={paintJson({
              course: 'PT-B1',
              seats: 30,
              days: ['tue', 'thu'],
              teacher: { name: 'Ana', remote: true },
            })}
          />
        }
      >
        <p>
          Most resources carry a store of your own: up to 256 keys of 1 to 64 characters and 64 KiB in all. Values are
          text, numbers, booleans and null, or one level of list or object of those. A write replaces the whole object,
          so merge before you send.
        </p>
      </Topic>
      <Topic id="request-ids" title="Request ids">
        <p>
          Every answer has <code>X-Request-Id</code>: the one that the request sent (up to 128 letters, digits and{' '}
          <code>. _ -</code>), or a new one. It is in errors and in the log as well.
        </p>
      </Topic>
    </Part>
  );
}

const listDialect: readonly (readonly [string, string])[] = [
  [
    'orderBy, sortedBy',
    'Fields and directions, several by `,` or `;`: `orderBy=status,created_at&sortedBy=asc,desc`. Otherwise the newest come first.',
  ],
  ['limit', 'Rows per page, up to 1000. `0` streams every match, without `meta.pagination`.'],
  ['page', 'Which page. Beyond the last one: no rows, true totals.'],
  ['cursor', '`meta.pagination.next_cursor` of the page before: as fast at the end as at the beginning.'],
  ['count', '`false` leaves the totals out, which saves counting.'],
  [
    'search',
    '`search=lisbon` looks for words, `search=status:active` into a field, `;` separates several. `\\` takes the meaning of `; : , \\` away.',
  ],
  ['searchJoin', '`and` when every segment must match; otherwise one is enough.'],
  ['searchFields', 'Another condition for a field: `=` `!=` `like` `in` `between` `>` `>=` `<` `<=`.'],
  ['skipCache', '`true` forces a fresh read.'],
];

function Lists({ server }: { server: string }) {
  const search = `${server}/rooms?search=status:active;created_at:2026-02-01,2026-02-28&searchFields=created_at:between&searchJoin=and&limit=50`;
  const pagination = {
    total: 128,
    count: 50,
    per_page: 50,
    current_page: 1,
    total_pages: 3,
    next_cursor: 'WyJrM3Y5cTJ4YSIs…',
    links: { previous: null, next: `${server}/rooms?…&page=2` },
  };
  return (
    <Part id="lists" title="Lists and searches">
      <p class="lead">One dialect for every list.</p>
      <Topic
        id="list-parameters"
        title="Query parameters"
        samples={
          <>
            <Sample
              title="Rooms opened in February that are active"
              wraps
              html={paintCurl({ verb: 'get', url: search, needsToken: true })}
            />
            <Sample title="meta.pagination" html={paintJson(pagination)} />
          </>
        }
      >
        <table class="members">
          <tbody>
            {listDialect.map(([names, text]) => (
              <tr key={names}>
                <th>
                  {names.split(', ').map((name) => (
                    <code key={name}>{name}</code>
                  ))}
                </th>
                <td>
                  <p>
                    <Prose text={text} />
                  </p>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <p>
          Text is found when it contains the value, in any case; identifiers, choices, booleans and numbers when they
          equal it; times on that whole day. A field that the list does not have is a 422 that names those that it has.
        </p>
      </Topic>
    </Part>
  );
}

const statuses: readonly (readonly [string, string])[] = [
  ['400', 'The body is not JSON, or the request makes no sense.'],
  ['401', 'No valid token. `WWW-Authenticate` comes along.'],
  ['403', 'Not allowed: a permission, a read permission that it requires, or the door of a room.'],
  ['404', 'No such path, or no such resource.'],
  ['405', 'The path exists, the verb does not. `Allow` names those that do.'],
  ['409', 'The state of things does not allow it.'],
  ['413, 415', 'The body is too large, or not JSON.'],
  ['422', 'The data is wrong; `errors` names every member at fault. Or a limit is reached.'],
  ['429', 'Too many requests. `Retry-After` says when to go on.'],
  ['500, 503', 'Our fault, or something that we need does not answer. What was acknowledged is not lost.'],
];

function Errors() {
  const example = {
    message: 'The email field must be a valid email address. (and 1 more error)',
    errors: {
      email: ['The email field must be a valid email address.'],
      country: ['The country field is required.'],
    },
    code: 'validation-failed',
    request_id: 'd0c1f6ce-3a51-4a8e-9e57-0a44a2b7c1de',
  };
  return (
    <Part id="errors" title="Errors">
      <p class="lead">Every error has the same members, whatever its status.</p>
      <Topic
        id="error-body"
        title="The body of an error"
        samples={<Sample title="422 Answer" html={paintJson(example)} />}
      >
        <p>
          <code>message</code> is for people, <code>code</code> for programs: codes never change. <code>errors</code>{' '}
          lists what is wrong by member, nested ones with dots (<code>roles_ids.0</code>). The token endpoint adds{' '}
          <Codes words={['error', 'error_description']} /> of RFC 6749.
        </p>
        <p>
          Any request can get <Codes words={codesOfEveryRequest} />, and any with a body{' '}
          <Codes words={codesOfEveryBody} />. The operations list what they are refused with besides.
        </p>
        <Table heads={['Status', 'When']}>
          {statuses.map(([status, text]) => (
            <tr key={status}>
              <th>{status}</th>
              <td>
                <Prose text={text} />
              </td>
            </tr>
          ))}
        </Table>
      </Topic>
    </Part>
  );
}
