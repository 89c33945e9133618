/** @jsxImportSource preact */
import { Link, LinkedCodes } from '../reference-context.tsx';
import { ShellSample } from '../sample.tsx';
import type { Topic } from './guide-page.tsx';

/** What is handed out, so that somebody can come in. */
export function roomLinks(): Topic[] {
  return [
    {
      id: 'room-links',
      title: 'A link for each person',
      words: 'room token role moderator attendee guest not_before expires_at max_uses user_id personal invitation url',
      said: (
        <>
          <p>
            <code>$FOYER</code> and <code>$TOKEN</code> are set as in <Link to="log-in">Signing in</Link>;{' '}
            <code>$ROOM</code>, on this page, is the id of a room, from <code>/rooms</code>. Set it first, as in{' '}
            <code>ROOM=room_01…</code>.
          </p>
          <p>
            <Link to="createRoomToken">A room token</Link> lets in as <code>moderator</code>, <code>attendee</code> or{' '}
            <code>guest</code>. Its <code>url</code> is the link to send: whoever opens it gives a name and is in.
            Without options it is good for ever and for everybody who has it. What narrows it, each alone or together:
          </p>
          <ul>
            <li>
              <code>not_before</code> and <code>expires_at</code>: from when and until when it opens. Whoever comes too
              early or too late is told the time, in the time zone of the customer.
            </li>
            <li>
              <code>max_uses</code>: how many entries; each counts, also of somebody who comes back. Whoever is refused
              uses nothing up.
            </li>
            <li>
              <code>user_id</code>: personal. The link asks whoever opens it to <Link to="room-sign-in">sign in</Link>,
              and lets in that user alone; as JSON it takes a bearer of theirs.
            </li>
            <li>
              <code>name</code>: what you call it, in lists and files. Of a link for one person (of a batch, or with{' '}
              <code>max_uses</code> 1), the page has it in the field for the name, unless that browser has another.
            </li>
          </ul>
          <p>
            All of them can be changed later, and taken away with <code>null</code>; <code>uses</code> and{' '}
            <code>last_usage</code> tell what became of it. A token that is deleted lets nobody in from that moment on;
            who is in stays.
          </p>
        </>
      ),
      samples: (
        <ShellSample
          title="For one evening, three entries"
          lines={`
curl $FOYER/api/v1/rooms/$ROOM/tokens \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "role": "attendee",
    "name": "Inês Duarte",
    "not_before": "2026-03-02T18:00:00+01:00",
    "expires_at": "2030-03-02T21:00:00+01:00",
    "max_uses": 3
  }'

ROOM_TOKEN_ID=rtok_… # the id of the answer

curl -X PATCH $FOYER/api/v1/rooms/$ROOM/tokens/$ROOM_TOKEN_ID \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"max_uses": 4}'`}
        />
      ),
    },
    {
      id: 'room-sign-in',
      title: 'Signing in at the page',
      words: 'personal link login password forgotten reset user member moderate session cookie sign out email page',
      said: (
        <>
          <p>
            Behind a personal link, the page asks for the email and the password of a user, the same as for{' '}
            <Link to="loginUser">the login</Link>: administrators do not come in by it, wrong passwords count together
            with those of the login, and nobody learns for whom the link is. The name of the user then stands in the
            form already.
          </p>
          <p>
            Who has the right <code>moderate</code> in a room needs no link at all: at its plain <code>url</code>, the
            page offers to sign in, and they come in as moderators, past access codes, as they do{' '}
            <Link to="entering-as-json">as JSON</Link>. With a link, what the link says holds.
          </p>
          <p>
            A sign-in holds for the pages of all rooms in that browser, for twelve hours at most or until they sign out,
            and for nothing besides: it is no session of the API. It ends at once with a new password, with the user,
            and when <Link to="endUserSessions">all sessions of the user</Link> are ended.
          </p>
          <p>
            Whoever forgot the password asks at the sign-in for a link by mail, limited together with{' '}
            <Link to="forgotUserPassword">the same over the API</Link>; once there is a new password, the way leads back
            to the room. Where no mail is sent, the page names the <code>support_url</code> of the customer, else the
            person who invited you.
          </p>
        </>
      ),
      samples: (
        <ShellSample
          title="A link for one user; ending what they are signed in with"
          lines={`
USER=user_… # the id of the user

curl $FOYER/api/v1/rooms/$ROOM/tokens \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d "{\\"role\\": \\"attendee\\", \\"user_id\\": \\"$USER\\"}"

curl -X DELETE $FOYER/api/v1/users/$USER/sessions \\
  -H "Authorization: Bearer $TOKEN"`}
        />
      ),
    },
    {
      id: 'room-link-batches',
      title: 'Thousands of links at once',
      words: 'batch csv json import progress rows bulk mail merge download spreadsheet',
      said: (
        <>
          <p>
            <Link to="createRoomTokenBatch">A batch</Link> makes up to 10,000 tokens, asked for as JSON or as CSV with
            the same columns (<code>role</code> at least, in any order), and with the <code>email</code> of a user in
            the place of <code>user_id</code> where that is what you have. All rows are checked first: with one fault
            nothing is made, and <code>errors</code> names it by row and column, as <code>tokens.17.role</code>, rows
            counted from 0 after the line of names.
          </p>
          <p>
            Then the answer is there at once, and the tokens are made one after the other: ask for the batch until its{' '}
            <code>status</code> is <code>done</code>; <code>progress</code> is in percent. Should a row still fail, as
            when its user is deleted meanwhile, <code>failures</code> names it. <code>$BATCH</code> is the{' '}
            <code>id</code> of the answer.
          </p>
          <p>
            The tokens come <Link to="listRoomTokenBatchTokens">in the order of the rows</Link>, as JSON or as a CSV
            file with <code>url</code>, ready for a mail merge. Deleting a batch deletes all tokens that it made.
          </p>
        </>
      ),
      samples: (
        <>
          <ShellSample
            title="Ask as CSV, or as JSON"
            lines={`
curl $FOYER/api/v1/rooms/$ROOM/token-batches \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: text/csv' \\
  --data-binary 'role,name,max_uses
attendee,Inês Duarte,3
moderator,Rui Costa,'

BATCH=rtbatch_… # the id of the answer

curl $FOYER/api/v1/rooms/$ROOM/token-batches \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "name": "Evening class",
    "tokens": [
      {"role": "attendee", "name": "Inês Duarte", "max_uses": 3},
      {"role": "moderator", "name": "Rui Costa"}
    ]
  }'`}
          />
          <ShellSample
            title="How far it is; the file"
            lines={`
curl "$FOYER/api/v1/rooms/$ROOM/token-batches/$BATCH?filter=status,progress,failures" \\
  -H "Authorization: Bearer $TOKEN"

curl -o links.csv "$FOYER/api/v1/rooms/$ROOM/token-batches/$BATCH/tokens?format=csv" \\
  -H "Authorization: Bearer $TOKEN"`}
          />
        </>
      ),
    },
    {
      id: 'access-codes',
      title: 'Access codes',
      words: 'password pin code role expires_at protect',
      said: (
        <>
          <p>
            <Link to="createRoomAccessCode">An access code</Link> belongs to one role of a room. From the first code of
            a role on, every token of that role needs one of its codes besides; the page asks for it. That stays so when
            all of them have expired: delete the codes to open the door again. Letters are the same in capitals; without{' '}
            <code>code</code> one is made. A code that is given with a link of another role is rejected, also where that
            role needs none; so is one that exists nowhere.
          </p>
          <p>
            Codes are known to many and meant to be said aloud: they go on top of links, not in place of them. Ten wrong
            ones, or wrong tokens, from one address close the room to it for ten minutes:{' '}
            <LinkedCodes words={['too-many-requests']} />.
          </p>
        </>
      ),
      samples: (
        <ShellSample
          title="A code for attendees"
          lines={`
curl $FOYER/api/v1/rooms/$ROOM/access-codes \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "role": "attendee",
    "code": "Jacaranda",
    "expires_at": "2030-07-01"
  }'`}
        />
      ),
    },
    {
      id: 'public-rooms',
      title: 'Public rooms, and guests',
      words: 'is_public guest_access guest_policy ask_moderator always_deny lobby anonymous',
      said: (
        <>
          <p>
            Into a room with <code>is_public</code> everybody comes by its plain <code>url</code>, as a guest. It needs
            the feature <LinkedCodes words={['guest_access']} /> of the subscription, as every guest does. On the first
            entry a guest gets a token: the browser keeps it in a cookie, and as JSON it comes back in the answer. With
            it they come back as the same.
          </p>
          <p>
            The setting <code>guest_policy</code> says what becomes of guests: <code>always_accept</code>;{' '}
            <code>ask_moderator</code>, where they wait on the meeting server until a moderator lets each of them in; or{' '}
            <code>always_deny</code>, where the door refuses them.
          </p>
          <p>
            A change of <code>room_settings</code> replaces all of them: send those that shall stay as well. The same
            holds for <code>room_features</code>.
          </p>
        </>
      ),
      samples: (
        <ShellSample
          title="Open to the public, with a lobby"
          lines={`
curl -X PATCH $FOYER/api/v1/rooms/$ROOM \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "is_public": true,
    "room_settings": {"guest_policy": "ask_moderator"}
  }'`}
        />
      ),
    },
  ];
}
