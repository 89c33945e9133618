/** @jsxImportSource preact */
import { CodeTable } from '../prose.tsx';
import { Link, LinkedCodes } from '../reference-context.tsx';
import { ShellSample } from '../sample.tsx';
import type { Topic } from './guide-page.tsx';

/** What rooms are like, and how they look. */
export function roomPages(): Topic[] {
  return [
    {
      id: 'room-settings',
      title: 'Settings and features that matter',
      words: 'room_settings room_features lower limit used source record mute lock logout_url presentation',
      said: (
        <>
          <p>
            Features are what is sold. A room may lower what its subscription has, and never raise it;{' '}
            <Link to="readRoomFeatures">its features</Link> tell for each what is sold, what the room sets, and what is
            used. Settings adjust the meeting. What the meeting server is told holds from the next meeting on; who may
            come in holds at once.
          </p>
          <CodeTable heads={['Setting', 'What it does']} rows={settings} />
          <p>
            Settings that Foyer does not know are kept for you and do nothing. The rest of the known ones stands in{' '}
            <Link to="createRoom">opening a room</Link>, what can be sold in the{' '}
            <Link to="feature-catalogue">feature catalogue</Link>.
          </p>
        </>
      ),
      samples: (
        <ShellSample
          title="A quiet class of ten, without webcams"
          lines={`
curl -X PATCH $FOYER/api/v1/rooms/$ROOM \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "room_features": {"max_participants": 10, "webcams": false},
    "room_settings": {
      "mute_on_start": true,
      "auto_start_recording": true,
      "logout_url": "https://portal.aurora-school.example/bye"
    }
  }'

curl $FOYER/api/v1/rooms/$ROOM/features \\
  -H "Authorization: Bearer $TOKEN"`}
        />
      ),
    },
    {
      id: 'embedding-rooms',
      title: 'Rooms inside of your pages',
      words: 'iframe embed allowed_domains_origins frame-ancestors csp camera microphone allow permissions policy',
      said: (
        <>
          <p>
            Browsers show a room inside of another page only where the customer of the room, or a reseller above it,
            lists the origin of that page in <code>allowed_domains_origins</code>: scheme, name and port, no path. The
            list is replaced as a whole. <code>$CUSTOMER</code> is the <code>customer_id</code> of the room.
          </p>
          <p>
            The frame must hand on camera and microphone, and <strong>to every origin</strong>, hence the <code>*</code>
            : the meeting is at another origin than <code>src</code>, and without it everybody comes in mute and unseen.
            In place of <code>*</code> you may name the origins of the room and of all its meeting servers. Your page
            needs <code>https</code>, and no <code>Permissions-Policy</code> of its own that forbids them.
          </p>
          <p>
            The meeting server must let itself be shown in frames as well. In a frame, the cookies that remember a name
            or a guest are kept apart for your page; a browser that refuses them loses nothing but that, except for
            waiting and signing in, which need them. The same list also opens <Link to="cors">the API</Link> to your
            scripts.
          </p>
        </>
      ),
      samples: (
        <>
          <ShellSample
            title="Allow the page, once"
            lines={`
CUSTOMER=cust_… # the customer_id of the room

curl -X PATCH $FOYER/api/v1/customers/$CUSTOMER \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"allowed_domains_origins": ["https://portal.aurora-school.example"]}'`}
          />
          <ShellSample
            title="In the page, with the url of a token"
            lines={`
<iframe
  src="https://…/rooms/room_01…/portuguese-b1?token=frm_…"
  allow="camera *; microphone *; display-capture *; fullscreen *; autoplay *"
  title="Portuguese B1"
  width="100%" height="720"></iframe>`}
          />
        </>
      ),
    },
    {
      id: 'room-languages',
      title: 'Languages',
      words: 'FOYER_CATALOGUES_DIR translation locale accept-language lang i18n german french portuguese spanish',
      said: (
        <>
          <p>
            The pages speak English, German, French, Spanish, the Portuguese of Portugal and that of Brazil: as the
            visitor chose, else as the browser asks, else in the <code>system_locale</code> of the{' '}
            <Link to="updateSettings">settings</Link>. <code>lang=pt</code> in a link chooses for the visitor. The API
            itself answers in English, the door by <Link to="door-refusals">codes</Link> for which you have words of
            your own.
          </p>
          <p>
            A language may have words of its own for a region: <code>pt-BR</code> is for Brazil, <code>pt</code> for
            whoever else speaks Portuguese. Who asks for a region gets its words where there are some, else those of the
            language.
          </p>
          <p>
            An installation adds languages, or puts its words in place of ours, with a folder of JSON files named in the
            variable <code>FOYER_CATALOGUES_DIR</code> of the server. A file names its <code>language</code>, such as{' '}
            <code>it</code> or <code>es-MX</code>, and <code>languageName</code> and has what it says otherwise; the
            rest is English. With a text that the pages do not have, or one that lacks a part in braces such as{' '}
            <code>{'{customer}'}</code>, the server does not start, and says which. The names of all texts are in{' '}
            <code>server/src/modules/room-entry/texts/en.json</code>.
          </p>
        </>
      ),
      samples: (
        <ShellSample
          title="Begin an Italian catalogue"
          lines={`
mkdir -p catalogues

cat > catalogues/it.json <<'END'
{
  "language": "it",
  "languageName": "Italiano",
  "invitesYou": "{customer} ti invita a",
  "enter": "Entra"
}
END

FOYER_CATALOGUES_DIR=./catalogues npm start`}
        />
      ),
    },
    {
      id: 'room-look',
      title: "The customer's look",
      words: 'brand_name logo_url primary_color support_url hero_image branding white label customer_settings',
      said: (
        <>
          <p>
            Among the <code>customer_settings</code>, <code>brand_name</code>, <code>logo_url</code>,{' '}
            <code>primary_color</code>, <code>support_url</code> and <code>hero_image</code> are how the rooms of the
            customer look to visitors. What is missing is taken from the nearest reseller above it, and at last from the
            platform's settings. A change replaces all customer settings: send those that shall stay as well.
          </p>
          <p>
            Inside of the meeting the server's own look holds; the setting <code>logo</code> of a room is handed to it.
            Refused colors or addresses are <LinkedCodes words={['validation-failed']} />.
          </p>
        </>
      ),
      samples: (
        <ShellSample
          title="Name and color"
          lines={`
curl -X PATCH $FOYER/api/v1/customers/$CUSTOMER \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "customer_settings": {
      "brand_name": "Aurora School",
      "primary_color": "#7a1f5c",
      "support_url": "https://aurora-school.example/help"
    }
  }'`}
        />
      ),
    },
  ];
}

const settings: readonly (readonly [string, string])[] = [
  ['anyone_can_start', 'Whoever comes first begins the meeting.'],
  ['guest_policy', 'What becomes of guests: see public rooms.'],
  ['recordings_for', 'Who may watch recordings on the page of the room.'],
  ['auto_start_recording', 'Recording begins with the meeting, where the feature `recording` is sold.'],
  ['allow_start_stop_recording', 'Moderators press record; true unless set.'],
  ['mute_on_start', 'Everybody comes in muted.'],
  ['disable_mic, disable_cam', 'Attendees cannot speak, or show themselves, until a moderator unlocks it.'],
  [
    'end_when_no_moderator',
    'The meeting ends some minutes after the last moderator has gone; a setting beside it says how many.',
  ],
  ['welcome_message', 'What the chat begins with.'],
  ['presentation_url', 'Where presenters find presentations of yours.'],
  ['logout_url', 'Where the browser goes after the meeting: your page.'],
];
