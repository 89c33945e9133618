/** @jsxImportSource preact */
import { CodeTable } from '../prose.tsx';
import { Link, LinkedCodes } from '../reference-context.tsx';
import { ShellSample } from '../sample.tsx';
import type { GuidePage } from './guide-page.tsx';

export function recordings(): GuidePage {
  return {
    slug: 'recordings-and-links',
    title: 'Recordings and links',
    lead: 'How recordings come to be, who may watch them, for how long, and how they go.',
    topics: [
      {
        id: 'life-of-a-recording',
        title: 'From the meeting to the list',
        words: 'state processing processed published unpublished record button auto_start_recording changes_pending',
        said: (
          <>
            <p>
              A meeting can be recorded where the feature <LinkedCodes words={['recording']} /> is sold; then moderators
              press record, or the setting <code>auto_start_recording</code> does. After the end the server makes the
              recording, which takes from minutes to hours.
            </p>
            <CodeTable heads={['State', 'What it means']} rows={states} />
            <p>
              <Link to="listRecordings">The list</Link> is brought in line with the servers: at once when one tells that
              a recording is ready, else every two minutes while something is processed. <code>$FOYER</code> and{' '}
              <code>$TOKEN</code> are set as in <Link to="log-in">Signing in</Link>, <code>$RECORDING</code>, on this
              page, is the <code>id</code> of a recording, from the list, and <code>$ROOM</code> of a room, from{' '}
              <code>/rooms</code>.
            </p>
            <p>
              Renamed, withdrawn (<code>published</code> false) or described here, it is so at once, and the server
              carries it out; while <code>changes_pending</code> is true it has still to.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="Look, and withdraw one"
            lines={`
curl "$FOYER/api/v1/recordings?search=state:processing" \\
  -H "Authorization: Bearer $TOKEN"

RECORDING=rec_… # the id of a recording

curl -X PATCH $FOYER/api/v1/recordings/$RECORDING \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"name": "Portuguese B1, lesson 4", "published": false}'`}
          />
        ),
      },
      {
        id: 'who-may-watch',
        title: 'Who may watch',
        words: 'recordings_for audience nobody moderators participants everyone room page read-recordings',
        said: (
          <>
            <p>
              On the page of the room, published recordings are shown to those whom its setting{' '}
              <code>recordings_for</code> names: <code>nobody</code>, <code>moderators</code> (unless set),{' '}
              <code>participants</code> (whoever holds a token of the room), or <code>everyone</code> who has its
              address. Where a role has an access code, its people see them after they gave it. The page shows the
              newest fifty. A change of <code>room_settings</code> replaces all of them.
            </p>
            <p>
              By this API: administrators with <LinkedCodes words={['read-recordings']} />, and users of customers with
              the right <code>read-recordings</code> there. They do not need to be named by the setting.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="For everybody with a token of the room"
            lines={`
curl -X PATCH $FOYER/api/v1/rooms/$ROOM \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"room_settings": {"recordings_for": "participants"}}'`}
          />
        ),
      },
      {
        id: 'links-that-end',
        title: 'Links that end',
        words:
          'playback url signed expires_at minutes lifetime playback_link_minutes share text tracks subtitles captions vtt plays',
        said: (
          <>
            <p>
              <Link to="readRecording">A published recording</Link> has one link for each format under{' '}
              <code>playback</code>. It opens in any browser, without a bearer, until its <code>expires_at</code>: for
              four hours at most and three at least (the setting <code>playback_link_minutes</code>, of which a quarter
              may have passed). So never store one: ask for the recording when somebody wants to watch, and send the
              browser there.
            </p>
            <p>
              The link leads on to the server only while the recording is published and its customer and subscription
              are in use: withdraw or delete it, and every link to it is dead; so are those that the page of a room gave
              to visitors whom <code>recordings_for</code> admits no more. <code>plays</code> counts how often one was
              opened. A link for somebody in particular, which ends after the <code>minutes</code> that you name (up to
              that setting), <Link to="createRecordingLink">is made by itself</Link>.{' '}
              <Link to="readRecordingTextTracks">Subtitles</Link> have links of the same kind.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="Publish again, and read links"
            lines={`
curl -X PATCH $FOYER/api/v1/recordings/$RECORDING \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"published": true}'

curl "$FOYER/api/v1/recordings/$RECORDING?filter=name,playback,plays" \\
  -H "Authorization: Bearer $TOKEN"

curl $FOYER/api/v1/recordings/$RECORDING/links \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"type": "video", "minutes": 30}'

curl $FOYER/api/v1/recordings/$RECORDING/text-tracks \\
  -H "Authorization: Bearer $TOKEN"`}
          />
        ),
      },
      {
        id: 'recording-quotas',
        title: 'Quotas',
        words: 'max_recordings max_storage gigabyte record_expiration space full not_recorded_by',
        said: (
          <p>
            <LinkedCodes words={['max_recordings']} /> and <LinkedCodes words={['max_storage']} /> count all recordings
            of a subscription, published or not; a gigabyte is 10⁹ bytes, and one that was begun is used. At the limit
            nobody is kept out: a meeting that begins then is <strong>not recorded</strong>, and{' '}
            <Link to="join-check">the check</Link> says so beforehand (<code>may_be_recorded</code>,{' '}
            <code>not_recorded_by</code>). A meeting that runs and may be recorded keeps one place of{' '}
            <LinkedCodes words={['max_recordings']} />. What is being recorded is not cut short, so that more space may
            be taken than was sold. Deleting makes space at once.
          </p>
        ),
        samples: (
          <ShellSample
            title="Would it be recorded?"
            lines={`
curl $FOYER/api/v1/rooms/$ROOM/join-check \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"role": "moderator"}'`}
          />
        ),
      },
      {
        id: 'deleting-recordings',
        title: 'Deleting, by hand and by age',
        words: 'delete expire expires_at record_expiration retention gone room deleted provider again',
        said: (
          <>
            <p>
              <Link to="deleteRecording">Deleted</Link> it is gone here at once, with its links, and takes no space; the
              server is asked until it has deleted it too, and again should it bring it back. There is no way back.
              Deleting a room deletes its recordings.
            </p>
            <p>
              With the feature <LinkedCodes words={['record_expiration']} /> recordings are deleted so many days after
              their end; a room may keep them for a shorter time. <code>expires_at</code> says when, by what is sold and
              set today: a change holds within the hour, also for recordings that are there.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="What goes next; delete one now"
            lines={`
curl "$FOYER/api/v1/recordings?orderBy=expires_at&sortedBy=asc&filter=id,name,expires_at" \\
  -H "Authorization: Bearer $TOKEN"

curl -X DELETE $FOYER/api/v1/recordings/$RECORDING \\
  -H "Authorization: Bearer $TOKEN"`}
          />
        ),
      },
      {
        id: 'recordings-honestly',
        title: 'What this cannot do',
        words: 'limits drm copy download provider address leak stream',
        said: (
          <ul>
            <li>
              Recordings stay on the meeting server. A link of ours leads there, and whoever is led there has its
              address and may pass it on; how long that works is the server's to say. Where that is not enough, set it
              up to ask for more.
            </li>
            <li>Who may watch may also copy.</li>
            <li>
              What somebody deletes on the server itself is missed by Foyer, and after an hour (a day, where the server
              lists nothing at all) it is gone here. When it comes back it is the same recording again.
            </li>
            <li>A server that does not answer loses nothing: all of this is done when it does.</li>
          </ul>
        ),
      },
    ],
  };
}

const states: readonly (readonly [string, string])[] = [
  ['processing', 'The server works on it.'],
  ['processed', 'Done, and not published yet.'],
  ['published', 'Can be watched; `playback` has the links.'],
  ['unpublished', 'Kept, takes space, and is shown to nobody.'],
];
