/** @jsxImportSource preact */
import { Link, LinkedCodes } from '../reference-context.tsx';
import { ShellSample } from '../sample.tsx';
import type { GuidePage } from './guide-page.tsx';

export function audit(): GuidePage {
  return {
    slug: 'who-did-what',
    title: 'Who did what',
    lead: 'The audit log has every change: by whom, through which client, for which customer, from where.',
    topics: [
      {
        id: 'audit-entries',
        title: 'Find what happened',
        words: 'audit log history old_values new_values actor search resource_id',
        said: (
          <>
            <p>
              Every change leaves <Link to="AuditEntry">an entry</Link> in the transaction of the change: there is none
              without the other. It names the actor as it was called then, the client that acted for it, the resource,
              and what was there before and after; secrets are masked. Refused attempts to take more rights, tokens that
              were used again, and names for which too many passwords were tried are in it as well.
            </p>
            <p>
              It needs <LinkedCodes words={['read-audit-log']} /> and is searched as every list is:{' '}
              <code>search=resource_id:…</code> finds everything that happened to a resource, also when it is gone.{' '}
              <code>$ROOM</code> is the id of a room, from <code>/rooms</code>: set it first, as in{' '}
              <code>ROOM=room_01…</code>; <code>$FOYER</code> and <code>$TOKEN</code> are set as in{' '}
              <Link to="log-in">Signing in</Link>.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="What happened to a room"
            lines={`
curl "$FOYER/api/v1/audit-log?search=resource_id:$ROOM&limit=50" \\
  -H "Authorization: Bearer $TOKEN"`}
          />
        ),
      },
      {
        id: 'audit-proof',
        title: 'Proof that nothing is missing',
        words: 'tamper evident hash chain verify sealed',
        said: (
          <p>
            Entries are never changed or deleted; the database refuses it. Within a minute or two each is sealed into a
            chain (<code>sealed</code>), where every link holds the one before it. <code>foyer audit verify</code> on
            the command line checks all of it, and prints the end of the chain: noted elsewhere and given back with{' '}
            <code>--since</code>, it shows even that the database was set back.
          </p>
        ),
        samples: <ShellSample title="On the machine" lines={'npm run foyer -- audit verify'} />,
      },
    ],
  };
}
