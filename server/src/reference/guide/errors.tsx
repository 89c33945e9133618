/** @jsxImportSource preact */
import { Codes, Prose, Table } from '../prose.tsx';

import { Link, LinkedCodes } from '../reference-context.tsx';
import { JsonSample } from '../sample.tsx';
import type { GuidePage } from './guide-page.tsx';
import { codesOfEveryBody, codesOfEveryKey, codesOfEveryRequest } from '../operation.tsx';

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
              <code>errors</code> lists what is wrong by member, nested ones with dots (<code>roles_ids.0</code>). It
              names at most 100 members; <code>message</code> counts all errors. The token endpoint adds{' '}
              <Codes words={['error', 'error_description']} /> of RFC 6749.
            </p>
          </>
        ),
        samples: <JsonSample title="422 Answer" wraps value={example} />,
      },
      {
        id: 'statuses',
        title: 'Statuses',
        words: statuses.map(([status]) => status).join(' '),
        said: (
          <>
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
      },
      {
        id: 'usual-refusals',
        title: 'What every request can be refused with',
        said: (
          <>
            <p>
              The operations list their own refusals in words, and those of their kind by status. Besides, any request
              can get <LinkedCodes words={codesOfEveryRequest} />; any with a body{' '}
              <LinkedCodes words={codesOfEveryBody} />; any with an identifier in its path{' '}
              <LinkedCodes words={['address-too-long']} />; any with an{' '}
              <Link to="idempotency">
                <code>Idempotency-Key</code>
              </Link>{' '}
              <LinkedCodes words={codesOfEveryKey} />. A connection can be refused before it is known what it asks for:{' '}
              <LinkedCodes words={['request-timeout', 'headers-too-large']} />. Whatever a code means:{' '}
              <Link to="error-codes">the list of codes</Link>.
            </p>
          </>
        ),
      },
    ],
  };
}

const statuses: readonly (readonly [string, string])[] = [
  ['400', 'The body is not JSON, or the request makes no sense.'],
  ['401', 'No valid token. `WWW-Authenticate` says what was wrong with it.'],
  ['403', 'Not allowed: a permission, a right, a scope or a read that it requires is missing; or the door of a room.'],
  ['404', 'No such path, or no such resource.'],
  ['405', 'The path exists, the verb does not. `Allow` names those that do.'],
  ['409', 'The state of things does not allow it.'],
  ['412', 'The resource has changed since it was read.'],
  ['413, 415', 'The body is too large, or not JSON.'],
  ['422', 'The data is wrong; `errors` names every member at fault. Or a limit is reached.'],
  ['408, 414, 431', 'The request did not arrive in time, its address is too long, or its header fields are too large.'],
  ['429', 'Too many requests, in a minute or at once. `Retry-After` says when to go on.'],
  ['500, 503', 'Our fault, or something that we need does not answer. What was acknowledged is not lost.'],
];
