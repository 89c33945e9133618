/** @jsxImportSource preact */
import type { EntryRefusal } from '@foyer/contract/room-entry.ts';
import { Prose, Table } from '../prose.tsx';
import { Link, LinkedCodes } from '../reference-context.tsx';
import { JsonSample, ShellSample } from '../sample.tsx';
import type { Topic } from './guide-page.tsx';

/** What becomes of who stands before a room. */
export function roomDoor(): Topic[] {
  return [
    {
      id: 'entering-as-json',
      title: 'Entering as JSON',
      words: 'join url expires_at place name role bearer lms app integration redirect',
      said: (
        <>
          <p>
            An app or a learning platform enters without the page: <Link to="joinRoom">one call</Link> checks, takes a
            place, opens the meeting where it is not open yet, and answers with <code>url</code>. Send the browser there
            at once: the address is for this one person and this one entry, and the place is kept until{' '}
            <code>expires_at</code>, a minute from now. Never store it or pass it on; ask again for the next entry.
          </p>
          <p>
            The room token is the credential, and <code>access_code</code> where the role needs one; no bearer is asked
            for. Sent with one all the same, the request counts as that of its holder (600 a minute) and not as that of
            an address (60), and a personal token knows its user. <code>$ROOM_TOKEN</code> is the <code>token</code>{' '}
            that stands in the link, not its id.
          </p>
          <p>
            A server that knows its own people needs no room tokens: whoever may <LinkedCodes words={['join-rooms']} />,
            and a customer's user with the right <code>moderate</code>, lets anybody in by <code>name</code> and{' '}
            <code>role</code>, past tokens and codes, within every limit.
          </p>
        </>
      ),
      samples: (
        <>
          <ShellSample
            title="By a room token; by name and role"
            lines={`
ROOM_TOKEN=frm_… # the token of the link

curl $FOYER/api/v1/rooms/$ROOM/join \\
  -H 'Content-Type: application/json' \\
  -d "{\\"token\\": \\"$ROOM_TOKEN\\", \\"name\\": \\"Inês\\"}"

curl $FOYER/api/v1/rooms/$ROOM/join \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"role": "moderator", "name": "Rui Costa"}'`}
          />
          <JsonSample title="200 Answer" value={entry} />
        </>
      ),
    },
    {
      id: 'waiting-at-the-door',
      title: 'Waiting',
      words: 'waiting-for-moderator anyone_can_start start lobby poll status running',
      said: (
        <>
          <p>
            A meeting begins with the first moderator, unless the setting <code>anyone_can_start</code> lets whoever
            comes first begin it. Who is too early waits on the page, which opens by itself. As JSON the answer is{' '}
            <LinkedCodes words={['waiting-for-moderator']} />: nothing was used up, so ask again every ten seconds or
            so, or look at <Link to="readRoomStatus">the status</Link> until <code>running</code> is true.
          </p>
          <p>
            That is the door of the room. Guests whom a moderator has yet to let in (<code>ask_moderator</code>) have
            passed it, and wait on the meeting server.
          </p>
        </>
      ),
      samples: (
        <ShellSample
          title="Does it run?"
          lines={`
curl "$FOYER/api/v1/rooms/$ROOM/status" \\
  -H "Authorization: Bearer $TOKEN"`}
        />
      ),
    },
    {
      id: 'door-refusals',
      title: 'Refusals, and what to do',
      words: 'errors codes 403 503 refused cannot join',
      said: (
        <>
          <p>
            Each refusal has one code, the first that applies in this order, and a sentence for the visitor that says
            what to do. Whoever is refused has taken no place and used up nothing.
          </p>
          <Table heads={['Code', 'What you do']}>
            {Object.entries(remedies).map(([code, remedy]) => (
              <tr key={code}>
                <th scope="row">
                  <LinkedCodes words={[code]} />
                </th>
                <td>
                  <Prose text={remedy} />
                </td>
              </tr>
            ))}
          </Table>
        </>
      ),
    },
    {
      id: 'join-check',
      title: 'Why can somebody not come in?',
      words: 'join-check support diagnose reasons facts would_use limits',
      said: (
        <>
          <p>
            <Link to="checkRoomEntry">The check</Link> answers what support is asked. Give it what the visitor has (
            <code>token</code>, <code>access_code</code>, <code>user_id</code> for somebody signed in) and it lists
            every reason at once, the words that the visitor reads, and under <code>facts</code> what each was reckoned
            from: which thing is in the way, since when, until when, how much of a limit is used. <code>would_use</code>{' '}
            tells what an entry would take: the token, the meeting, the servers in the order in which they are tried
            (and under <code>passed_over</code> the others, each with its reason), the limits, and whether it could be
            recorded.
          </p>
          <p>
            Nobody is let in by it and nothing is counted. It names only what the caller may read: customers' people
            learn neither servers nor what is above them.
          </p>
        </>
      ),
      samples: (
        <ShellSample
          title="Everything that is in the way"
          lines={`
curl $FOYER/api/v1/rooms/$ROOM/join-check \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"token": "frm_mistyped"}'`}
        />
      ),
    },
  ];
}

const remedies: Readonly<Record<EntryRefusal | 'provider-unavailable', string>> = {
  'room-inactive': 'Set the `status` of the room to `active`.',
  'customer-not-usable': 'The customer, or a reseller above it, is out of use: see its `effective_status`.',
  'account-not-usable': 'Set the account of the room to `active`.',
  'entry-subscription-not-usable': 'Renew the subscription, or take it out of suspension: `unusable_because` names it.',
  'no-usable-provider':
    'Every meeting server of the subscription is off, draining, full, or without a tag that is asked for: see `facts` of the check.',
  'meeting-not-accepted':
    'Shorten the texts of the room: the `facts` of the check tell by how much. If they are short, see the log of the meeting server.',
  'token-required': 'Send a link with a token, or make the room public.',
  'token-unknown': 'Mistyped, deleted, or of another room: make a new token.',
  'token-not-yet-valid': 'Wait, or set `not_before` earlier.',
  'token-expired': 'Set `expires_at` later, or make a new token.',
  'token-used-up': 'Raise `max_uses`, or make a new token.',
  'token-of-another-user': 'Its user signs in at the page, or calls with a bearer. Or make a token without `user_id`.',
  'guest-access-off': 'Add the feature `guest_access`, or set `guest_policy` to something else than `always_deny`.',
  'access-code-required': 'Ask the visitor for the code and send it as `access_code`.',
  'access-code-wrong': 'Ask again; ten wrong ones close the room to the address for ten minutes.',
  'access-code-other-role':
    'The code is of another role, whether or not this role needs one: give the one of this role, or none.',
  'participant-minutes-used-up': 'Sell more minutes, or wait for the next period.',
  'limit-is-zero': 'Raise the limit that is 0: `facts` of the check names it and where it is set.',
  'waiting-for-moderator': 'Ask again in ten seconds, or set `anyone_can_start`.',
  'concurrent-meetings-reached': 'Wait until another meeting has ended, or sell more of them.',
  'concurrent-participants-reached': 'Wait until people have left, or sell more places.',
  'room-full': 'Wait until somebody has left, or raise `max_participants`.',
  'provider-unavailable': 'Try again in a moment; look at the health of the meeting servers.',
};

const entry = {
  data: {
    object: 'RoomEntry',
    room_id: 'room_01k8x5v2q4f7t9z3m6b1c8d5ne',
    role: 'attendee',
    name: 'Inês',
    url: 'https://bbb1.example.com/bigbluebutton/api/join?…',
    token: 'frm_kXKEjPDMKBTdEhHv…',
    meeting_started: false,
    expires_at: '2026-03-02T17:01:00.000000Z',
  },
};
