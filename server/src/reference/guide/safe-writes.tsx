/** @jsxImportSource preact */
import { Link, LinkedCodes } from '../reference-context.tsx';
import { ShellSample } from '../sample.tsx';
import type { GuidePage } from './guide-page.tsx';

export function safeWrites(): GuidePage {
  return {
    slug: 'safe-writes',
    title: 'Safe writes',
    lead: 'Send again without doing it twice, and change without overwriting what others changed.',
    topics: [
      {
        id: 'idempotency',
        title: 'Sending again: Idempotency-Key',
        words: 'idempotent retry replayed timeout duplicate',
        said: (
          <>
            <p>
              When an answer does not come, nobody knows whether it was done. Give each <code>POST</code> that needs a
              token a word of your own, 1 to 255 printable characters, new for each thing to do. Sent again within 24
              hours with the same word, the request is not done twice: the first answer comes again, refusals too, with{' '}
              <code>Idempotent-Replayed: true</code>.
            </p>
            <p>
              An answer above 64 KiB is not kept: sent again, the request gets the resource as it is now, with the first
              status and without what is shown once; 404 where it was deleted, and{' '}
              <LinkedCodes words={['idempotent-answer-not-kept']} /> where the answer was no resource with a path of its
              own. Of one caller the newest 10,000 keys and the newest 32 MiB of answers are kept.
            </p>
            <p>
              While the first is under way, the second is <LinkedCodes words={['idempotency-key-in-use']} />: wait, and
              ask again. With another path or body the word is <LinkedCodes words={['idempotency-key-reused']} />. Words
              of different callers do not meet. A body that was not valid, and what was in the way for a moment only
              (401, 429, 5xx, <LinkedCodes words={['conflict', 'precondition-failed']} />
              ), does not use the word up.
            </p>
            <p>
              <code>$FOYER</code> and <code>$TOKEN</code> are set as in <Link to="log-in">Signing in</Link>;{' '}
              <code>$ACCOUNT</code> is the id of an account, from <code>/accounts</code>. Set it first, as in{' '}
              <code>ACCOUNT=acct_01…</code>.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="Open a room once"
            lines={`
KEY=$(openssl rand -hex 16)

curl -i $FOYER/api/v1/rooms \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Idempotency-Key: $KEY" \\
  -H 'Content-Type: application/json' \\
  -d "{\\"room_name\\": \\"Portuguese B1\\", \\"account_id\\": \\"$ACCOUNT\\"}"`}
          />
        ),
      },
      {
        id: 'not-overwriting',
        title: 'Not overwriting: If-Match',
        words: 'etag 412 precondition failed lost update concurrency optimistic',
        said: (
          <>
            <p>
              Every answer with one resource carries its <code>ETag</code>. Send it back as <code>If-Match</code> with a
              change, and the change is made only if the resource is still what you read; otherwise it is{' '}
              <LinkedCodes words={['precondition-failed']} />, and nothing is changed: read again, decide again.
            </p>
            <p>
              The tag of a read with <code>include</code> or <code>filter</code> will do, and so will that of the last
              write. On an action below a resource, such as a renewal, it is the tag of the resource. Without the field
              the last one who writes wins. Requests that ask a meeting server, such as entering a room, do not compare.{' '}
              <code>$ROOM</code>, here and below, is the id of a room: of the answer above, or from <code>/rooms</code>.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="Change what was read"
            lines={`
ETAG=$(curl -s -o /dev/null -D - $FOYER/api/v1/rooms/$ROOM \\
  -H "Authorization: Bearer $TOKEN" |
  tr -d '\\r' | sed -n 's/^etag: //p')

curl -i -X PATCH $FOYER/api/v1/rooms/$ROOM \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "If-Match: $ETAG" \\
  -H 'Content-Type: application/json' \\
  -d '{"room_name": "Portuguese B2"}'`}
          />
        ),
      },
      {
        id: 'not-reading-twice',
        title: 'Not reading twice: If-None-Match',
        words: 'etag 304 not modified cache',
        said: (
          <p>
            With <code>If-None-Match</code> and the tag of what you have, a read answers 304 without a body while it is
            the same. Here the tag stands for the answer as it was sent: ask with the same <code>include</code> and{' '}
            <code>filter</code>. The words of <Link to="timestamps">relative time</Link> do not count.
          </p>
        ),
        samples: (
          <ShellSample
            title="Read only when it is new"
            lines={`
curl -i $FOYER/api/v1/rooms/$ROOM \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "If-None-Match: $ETAG"`}
          />
        ),
      },
    ],
  };
}
