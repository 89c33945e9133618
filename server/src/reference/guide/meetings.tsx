/** @jsxImportSource preact */
import { Prose, Table } from '../prose.tsx';
import { Link, LinkedCodes } from '../reference-context.tsx';
import { ShellSample } from '../sample.tsx';
import type { GuidePage } from './guide-page.tsx';

export function meetings(): GuidePage {
  return {
    slug: 'meetings-and-minutes',
    title: 'Meetings and minutes',
    lead: 'What runs and what ran: who was in it, what it cost, how that is known, and how it ends.',
    topics: [
      {
        id: 'what-a-meeting-is',
        title: 'What a meeting is',
        words: 'session state opening open ended started_at ended_at peak_participants running list',
        said: (
          <>
            <p>
              A room stays; <Link to="Meeting">a meeting</Link> is one session of it on a meeting server, from the first
              entry to its end. A room has at most one that has not ended. Its <code>state</code> is{' '}
              <code>opening</code> for the moment until the server has confirmed it, <code>open</code>, and{' '}
              <code>ended</code>; then it stays, with its figures.
            </p>
            <p>
              <Link to="listMeetings">The list</Link> has all that the caller may see,{' '}
              <Link to="listRoomMeetings">one room's</Link> has its own. Administrators need{' '}
              <LinkedCodes words={['read-meetings']} />, users of customers the right <code>read-room</code>.{' '}
              <code>$FOYER</code> and <code>$TOKEN</code> are set as in <Link to="log-in">Signing in</Link>.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="What runs; what was changed"
            lines={`
curl "$FOYER/api/v1/meetings?search=state:open&orderBy=participant_count&include=room" \\
  -H "Authorization: Bearer $TOKEN"

curl "$FOYER/api/v1/meetings?search=updated_at:2026-03-01&searchFields=updated_at:%3E%3D&orderBy=updated_at&sortedBy=asc" \\
  -H "Authorization: Bearer $TOKEN"`}
          />
        ),
      },
      {
        id: 'who-was-in-it',
        title: 'Who was in it',
        words: 'participants attendance stays joined_at left_at by_door role room_token_id report',
        said: (
          <>
            <p>
              <Link to="listMeetingParticipants">Participants</Link> are all whom the server showed, also those who came
              past the door of the room (<code>by_door</code> is false). Each has all stays of one entry: who leaves and
              is back within a minute has not left. Who comes in by the door again, or with a second device, is there
              again, since nobody signs in to a meeting: put together what has one <code>room_token_id</code>;{' '}
              <code>include=room_token,user</code> adds what that link was called, and who signed in to use it.
            </p>
            <p>
              Users of customers need the right <code>moderate</code> in the room. <code>$MEETING</code> is the{' '}
              <code>id</code> of a meeting, from the list above. Make a token for each person, and it tells who it was,
              whatever name was typed.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="The list of who attended"
            lines={`
MEETING=meet_… # the id of a meeting

curl "$FOYER/api/v1/meetings/$MEETING/participants?limit=0&filter=name,role,joined_at,left_at,minutes,room_token_id" \\
  -H "Authorization: Bearer $TOKEN"`}
          />
        ),
      },
      {
        id: 'meeting-minutes',
        title: 'Minutes',
        words: 'participant_minutes charge usage billing round begun corrected',
        said: (
          <>
            <p>
              Each stay costs every minute that it has begun, at least one; <code>participant_minutes</code> of a
              meeting is the sum, those who are in included up to the last look. It is what the subscription has used of{' '}
              <LinkedCodes words={['participant_minutes']} />, and every subscription above it.
            </p>
            <p>
              Some minutes after the end the server gives its own record of who was in, and the figures are brought in
              line with it, up or down: settle accounts with meetings that ended an hour ago or more. Who was not seen
              for a quarter of an hour, as in an outage, is charged until they were seen last, unless that record says
              more.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="By meeting; by customer"
            lines={`
curl "$FOYER/api/v1/meetings?search=state:ended&filter=id,room_id,ended_at,participant_minutes" \\
  -H "Authorization: Bearer $TOKEN"

curl "$FOYER/api/v1/reports/usage?by=month&group_by=customer&from=2026-01-01" \\
  -H "Authorization: Bearer $TOKEN"`}
          />
        ),
      },
      {
        id: 'names-kept',
        title: 'Names, and how long they are kept',
        words: 'privacy gdpr forget participant_names_days personal data erase anonymous',
        said: (
          <p>
            The names that people give are kept with their participation alone: neither in events nor in the audit log.
            After <code>participant_names_days</code> (a setting; 30 days) from when they left they are forgotten:{' '}
            <code>name</code> is <code>null</code>, times and minutes stay. With 0 they are never written down. What you
            write yourself as the <code>name</code> of a room token stays with the token until you delete it, and the
            recordings show what they show.
          </p>
        ),
        samples: (
          <ShellSample
            title="Keep names for a week"
            lines={`
curl -X PATCH $FOYER/api/v1/settings \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"participant_names_days": 7}'`}
          />
        ),
      },
      {
        id: 'how-meetings-are-told',
        title: 'How soon it is known',
        words: 'callbacks events hooks webhooks poll delay latency meeting_webhooks attendance record',
        said: (
          <>
            <Table heads={['Source', 'Tells', 'When']}>
              {sources.map(([source, tells, when]) => (
                <tr key={source}>
                  <th scope="row">{source}</th>
                  <td>
                    <Prose text={tells} />
                  </td>
                  <td>
                    <Prose text={when} />
                  </td>
                </tr>
              ))}
            </Table>
            <p>
              None is needed but the first, and all come to the same, in whatever order and however often they are told.
              What they tell is signed by the server, or the server is asked whether it is so.
            </p>
            <p>
              Foyer does not call your program yet: ask the list for what was changed since you asked last, or{' '}
              <Link to="readRoomStatus">the status</Link> of one room, which asks its server at this moment.
            </p>
          </>
        ),
      },
      {
        id: 'ending-meetings',
        title: 'Ending',
        words: 'end end_reason moderator suspension grace terminated minutes used up 503',
        said: (
          <>
            <p>
              <Link to="endMeeting">Ending</Link> puts everybody out, on the server first: where that does not answer it
              is <LinkedCodes words={['provider-unavailable']} /> and the meeting goes on; where it is{' '}
              <Link to="provider-health">down</Link>, the meeting is given up, so that its room can open elsewhere (
              <code>provider-lost</code>). One that has ended is answered as it is. It needs{' '}
              <LinkedCodes words={['end-meetings']} />, or the right <code>moderate</code>. The room stays open to the
              next meeting: set its <code>status</code> to <code>inactive</code> first if nobody is to come back.
            </p>
            <p>
              <code>end_reason</code> is <code>ended</code> where it ended on the server: by a moderator, when everybody
              had left, or at <LinkedCodes words={['max_duration']} />; <code>ended-by-request</code> after this call;{' '}
              else what the platform ended it for. A subscription, account or customer out of use leaves{' '}
              <code>suspension_meeting_grace_minutes</code> (a setting; 15). Five minutes before minutes are used up the
              chat says so, where the server can; a meeting ends just before a minute begins in it that is not left.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="End it for everybody"
            lines={`
curl -X POST $FOYER/api/v1/meetings/$MEETING/end \\
  -H "Authorization: Bearer $TOKEN"`}
          />
        ),
      },
      {
        id: 'limits-at-the-door',
        title: 'Limits hold at the door',
        words: 'max_participants max_concurrent_participants max_concurrent_meetings quota last place race overrun',
        said: (
          <p>
            Places are given away one after the other, over all processes: the last one goes to one person, however many
            ask at once. A place is kept for a minute for who was sent in, and lapses when they do not come. Minutes are
            looked at when somebody comes in and once a minute after that, so that a meeting may use one more for each
            participant before it is ended. Who is in is never put out because a limit was lowered.{' '}
            <Link to="join-check">The check</Link> shows what is left.
          </p>
        ),
      },
    ],
  };
}

const sources: readonly (readonly [string, string, string])[] = [
  [
    'Looks',
    'All meetings of a server and who is in them, by one request.',
    'Once a minute; also when somebody comes to the door.',
  ],
  [
    'Events of the server',
    'Who comes and goes.',
    'At once, where the server has web hooks (BigBlueButton, not Scalelite), from the opening of a meeting on; unless the setting `meeting_webhooks` is off.',
  ],
  ['Its call at the end', 'That the meeting is over.', 'Within seconds.'],
  ['Its record', 'Who was in, from when to when; corrects the minutes.', 'Some minutes after the end, once.'],
];
