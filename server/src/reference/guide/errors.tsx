/** @jsxImportSource preact */
import { Codes, Prose, Table } from '../prose.tsx';

import { JsonSample } from '../sample.tsx';
import type { GuidePage } from './guide-page.tsx';
import { codesOfEveryBody, codesOfEveryRequest } from '../operation.tsx';

export function errors(): GuidePage {
  const example = {
    message: 'The email field must be a valid email address. (and 1 more error)',
    errors: {
      email: ['The email field must be a valid email address.'],
      country: ['The country field is required.'],
    },
    code: 'validation-failed',
    request_id: 'd0c1f6ce-3a51-4a8e-9e57-0a44a2b7c1de',
  };
  return {
    slug: 'errors',
    title: 'Errors',
    lead: 'Every error has the same members, whatever its status.',
    topics: [
      {
        id: 'error-body',
        title: 'The body of an error',
        said: (
          <>
            <p>
              <code>message</code> is for people, <code>code</code> for programs: codes never change.{' '}
              <code>errors</code> lists what is wrong by member, nested ones with dots (<code>roles_ids.0</code>). The
              token endpoint adds <Codes words={['error', 'error_description']} /> of RFC 6749.
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
          </>
        ),
        samples: <JsonSample title="422 Answer" value={example} />,
      },
    ],
  };
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
