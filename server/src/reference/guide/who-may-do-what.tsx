/** @jsxImportSource preact */
import { accountRights, customerRights, requiredRight, type Right, roomRights } from '@foyer/contract/membership.ts';
import { Codes, Table } from '../prose.tsx';
import { Link, LinkedCodes } from '../reference-context.tsx';
import { JsonSample, ShellSample } from '../sample.tsx';
import type { GuidePage } from './guide-page.tsx';

export function whoMayDoWhat(): GuidePage {
  return {
    slug: 'who-may-do-what',
    title: 'Who may do what',
    lead: 'Roles give administrators permissions, memberships give users rights, and scopes narrow what a token may use of them.',
    topics: [
      {
        id: 'permissions',
        title: 'Administrators: roles and permissions',
        words: 'missing-read-permission required reads role admin',
        said: (
          <>
            <p>
              A permission is called <code>&lt;verb&gt;-&lt;resources&gt;</code>. Roles hold permissions, and
              administrators hold roles. Every verb but <code>read</code> also needs the read of the same resource, and
              some need others besides: to create a room one must see accounts and subscriptions. They are asked with
              each request: who may write but not read gets <LinkedCodes words={['missing-read-permission']} />. All are
              in <Link to="permissions-and-scopes">the list of permissions</Link>.
            </p>
            <p>
              The role <code>admin</code> has every permission, also those that come later. It cannot be changed, and
              its last active holder stays.
            </p>
          </>
        ),
        samples: (
          <JsonSample
            title="403 Answer"
            wraps
            value={{
              message: 'Unauthorized Access: create-rooms also needs read-accounts.',
              errors: {},
              code: 'missing-read-permission',
              request_id: '5b6f0a1e-7c92-4d8e-9f31-2a0c6e7d4b15',
            }}
          />
        ),
      },
      {
        id: 'rights',
        title: "Customers' users: memberships and rights",
        words: `members reach ${customerRights.join(' ')}`,
        said: (
          <>
            <p>
              A user belongs to customers, accounts and rooms, by a membership each. What it may do there are the rights
              of the membership; they hold for the thing and everything below it: <code>update-room</code> of a customer
              goes for every room of it. The one owner of a thing has all of its rights.
            </p>
            <p>
              What is not in the reach of a user is not there: a 404, and nothing in lists. What is, but needs another
              right, is a 403. A few members of bodies are for administrators only, or “from above only”: for users
              whose right comes from a customer above. The operations mark them.
            </p>
            <Table heads={['Right', 'Needs', 'Given on']}>
              {customerRights.map((right) => (
                <tr key={right}>
                  <th scope="row">
                    <code>{right}</code>
                  </th>
                  <td data-label={requiredRight(right) ? 'needs' : undefined}>
                    <Codes words={[requiredRight(right) ?? []].flat()} />
                  </td>
                  <td data-label="given on">{levelsOf(right).join(', ')}</td>
                </tr>
              ))}
            </Table>
          </>
        ),
        samples: (
          <ShellSample
            title="Let a user open rooms in one account"
            lines={`
ACCOUNT=acct_… # one of $FOYER/api/v1/accounts

curl $FOYER/api/v1/accounts/$ACCOUNT/users \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "email": "rui.carvalho@aurora-school.example",
    "first_name": "Rui",
    "last_name": "Carvalho",
    "permissions": ["read-account", "create-room", "read-room"]
  }'`}
          />
        ),
      },
      {
        id: 'scopes',
        title: 'Tokens: scopes',
        words: 'insufficient_scope narrow limit token',
        said: (
          <>
            <p>
              A token may do what its owner may, as far as its scopes go: <code>&lt;resource&gt;:read</code>,{' '}
              <code>&lt;resource&gt;:write</code>, or <code>*</code> for everything. The login gives <code>*</code>. A
              write needs the scopes of the reads that its permission requires as well; each operation names what it
              needs. What the token lacks is a 403 with <code>WWW-Authenticate: Bearer error="insufficient_scope"</code>
              .
            </p>
            <p>
              All of them: <Link to="all-scopes">the list of scopes</Link>.
            </p>
          </>
        ),
      },
      {
        id: 'escalation',
        title: 'You cannot grant what you do not hold',
        words: 'privilege escalation assign attach grant',
        said: (
          <>
            <p>
              This holds for roles, permissions, memberships, invitations, clients and tokens. You also cannot change
              the password of somebody who holds more than you, take roles from them or end their sessions. A token
              grants no more than its scopes cover. The refusal is <LinkedCodes words={['privilege-escalation']} />.
            </p>
            <p>
              A user with the right <code>manage-tokens</code> but without <code>moderate</code> creates links for
              attendees and guests only. Moderator tokens are missing from their lists, batches and includes, and
              reading, changing or deleting one is a 404. Access codes need the right <code>manage-access-codes</code>{' '}
              alone, whatever their role: a code lets nobody in without a link.
            </p>
          </>
        ),
      },
    ],
  };
}

function levelsOf(right: Right): string[] {
  const levels: readonly [string, readonly Right[]][] = [
    ['customer', customerRights],
    ['account', accountRights],
    ['room', roomRights],
  ];
  return levels.flatMap(([level, rights]) => (rights.includes(right) ? [level] : []));
}
