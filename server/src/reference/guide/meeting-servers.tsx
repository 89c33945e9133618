/** @jsxImportSource preact */
import { Prose, Table } from '../prose.tsx';
import { Link, LinkedCodes } from '../reference-context.tsx';
import { ShellSample } from '../sample.tsx';
import type { GuidePage, Topic } from './guide-page.tsx';

export function meetingServers(): GuidePage {
  return {
    slug: 'meeting-servers',
    title: 'Meeting servers',
    lead: 'Which servers there are, who gets the next meeting, what happens when one fails, and how to look after them.',
    topics: [...adding(), ...choosing(), ...lookingAfter()],
  };
}

function adding(): Topic[] {
  return [
    {
      id: 'provider-types',
      title: 'Add a server',
      words: 'bigbluebutton scalelite bbb host_url secret checksum_algorithm service provider register',
      said: (
        <>
          <p>
            <Link to="ServiceProvider">A service provider</Link> is one meeting server, or one balancer in front of
            several. Its <code>host_url</code> is its <code>https</code> address (plain <code>http</code> only on a
            loopback address), its <code>secret</code> what <code>bbb-conf --secret</code> prints. The secret is
            encrypted at rest and printed as <code>********</code>.
          </p>
          <Table heads={['Type', 'What it is', 'Also to know']}>
            {types.map(([type, text, lacks]) => (
              <tr key={type}>
                <th scope="row">
                  <code>{type}</code>
                </th>
                <td>
                  <Prose text={text} />
                </td>
                <td>
                  <Prose text={lacks} />
                </td>
              </tr>
            ))}
          </Table>
          <p>
            <Prose text="Set the property `maxUserConcurrentAccesses` of each BigBlueButton server to 1 (in `/etc/bigbluebutton/bbb-web.properties`): its default lets one entry link admit three people, and the API cannot change it. Every session that a server reports counts as a participant, for limits and for minutes." />
          </p>
          <p>
            Adding asks nobody; <Link to="checkServiceProvider">a check</Link> does: whether it answers, accepts the
            secret, and how its clock stands. <code>$FOYER</code> and <code>$TOKEN</code> are set as in{' '}
            <Link to="log-in">Signing in</Link>, <code>$PROVIDER</code>, on this page, is the <code>id</code> of the
            first answer.
          </p>
          <p>
            The server calls back to the public address of the platform, so it must reach that. Meetings run without it
            as well: see <Link to="how-meetings-are-told">how soon it is known</Link>.
          </p>
        </>
      ),
      samples: (
        <ShellSample
          title="Add, and check"
          lines={`
curl $FOYER/api/v1/service-providers \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "provider_name": "Frankfurt 1",
    "provider_type": "bigbluebutton",
    "tags": ["eu"],
    "properties": {
      "host_url": "https://bbb1.example.com",
      "secret": "as bbb-conf --secret prints it"
    }
  }'

PROVIDER=prov_… # the id of the answer

curl -X POST $FOYER/api/v1/service-providers/$PROVIDER/check \\
  -H "Authorization: Bearer $TOKEN"`}
        />
      ),
    },
    {
      id: 'selling-a-server',
      title: 'Who uses it',
      words: 'package provider subscription attach default tags settings',
      said: (
        <p>
          Packages name the servers that they are sold with, one of them the default; subscriptions get them from their
          package. One server of a pool is enough: it stands for all of them. <code>$PACKAGE</code> is the id of a
          package, from <code>/service-packages</code>. Subscriptions that are there already get what was attached later
          by <Link to="createSubscriptionProvider">adding it</Link>.
        </p>
      ),
      samples: (
        <ShellSample
          title="Sell it; only servers in Europe"
          lines={`
PACKAGE=pkg_… # the id of a package

curl $FOYER/api/v1/service-packages/$PACKAGE/providers \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d "{
    \\"service_provider_id\\": \\"$PROVIDER\\",
    \\"settings\\": {\\"tags\\": [\\"eu\\"]}
  }"`}
        />
      ),
    },
  ];
}

function choosing(): Topic[] {
  return [
    {
      id: 'provider-pools',
      title: 'Pools, weights and tags',
      words: 'pool weight tags load balancing placement choose least busy region',
      said: (
        <>
          <p>
            Servers with one <code>pool</code> stand in for each other: a subscription with one of them has them all,
            new servers at once. A new meeting goes to the pool of the default, there to whoever is well and has the
            fewest people for its <code>weight</code> (200 takes twice as much as 100; 0 only when no other can); then
            to the further servers of the subscription. A meeting that has just begun counts as ten people, since they
            come later.
          </p>
          <p>
            The <code>share</code> of its health says what part of the pool’s new meetings goes to a server, as all of
            them are now: who is well shares by weight; <code>degraded</code> ones get none while others take some, and
            one that is <code>down</code>, draining, full or switched off does not take any (<code>takes_meetings</code>{' '}
            false).
          </p>
          <p>
            <code>tags</code> say what a server offers or where it stands. Where the <code>settings</code> of a server
            of a package or subscription name <code>tags</code>, only servers that bear all of them take its meetings:
            of two packages with one pool, one may be served in <code>eu</code> alone.
          </p>
        </>
      ),
      samples: (
        <ShellSample
          title="Into a pool, with twice the share"
          lines={`
curl -X PATCH $FOYER/api/v1/service-providers/$PROVIDER \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"pool": "frankfurt", "weight": 200, "tags": ["eu", "recording"]}'`}
        />
      ),
    },
    {
      id: 'provider-capacity',
      title: 'Capacity',
      words: 'max_meetings max_participants full limit takes_meetings meetings_left',
      said: (
        <p>
          With <code>max_meetings</code> no new meeting is opened while so many are open, exactly, however many open at
          once; with <code>max_participants</code> none while so many people are in, or on their way into, those on it.
          It keeps nobody out of a meeting that runs. What others run on the same server counts as of the last look. A
          server that was added twice, with one address, has its room once: what is open by way of either counts for
          both (<code>same_server</code> of its health names the other). Its recordings are found once. Where every
          server is full, the door says <LinkedCodes words={['no-usable-provider']} />.
        </p>
      ),
      samples: (
        <ShellSample
          title="Forty meetings, three hundred people"
          lines={`
curl -X PATCH $FOYER/api/v1/service-providers/$PROVIDER \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"max_meetings": 40, "max_participants": 300}'`}
        />
      ),
    },
    {
      id: 'draining-a-provider',
      title: 'Draining, switching off, deleting',
      words: 'draining maintenance update reboot active inactive provider-is-default provider-in-use remove',
      said: (
        <p>
          A server that is <code>draining</code> takes no new meetings; those that run go on, and people enter them.
          When <code>running_meetings</code> of its health is 0, work on it. One with <code>active</code> false is used
          by nobody; that is refused while it is the default of a package or subscription (
          <LinkedCodes words={['provider-is-default']} />
          ), and deleting while anything has it or a meeting runs on it (<LinkedCodes words={['provider-in-use']} />
          ). Its recordings go on being kept on it: delete a server here last.
        </p>
      ),
      samples: (
        <ShellSample
          title="Before an update, and after"
          lines={`
curl -X PATCH $FOYER/api/v1/service-providers/$PROVIDER \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"draining": true}'

curl "$FOYER/api/v1/service-providers/$PROVIDER/health?period=hour" \\
  -H "Authorization: Bearer $TOKEN"

curl -X PATCH $FOYER/api/v1/service-providers/$PROVIDER \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"draining": false}'`}
        />
      ),
    },
    {
      id: 'provider-failover',
      title: 'When a server fails',
      words: 'failover down outage provider-unavailable timeout circuit breaker provider_timeout_ms',
      said: (
        <>
          <p>
            A new meeting is tried on one server after the other, each given <code>provider_timeout_ms</code> (a
            setting; 5 seconds); whoever comes in sees at most a delay. Servers known to be down are tried when nobody
            else is left. Each time one is passed over for that leaves an entry{' '}
            <code>service_provider.failed_over</code> in the <Link to="who-did-what">audit log</Link>.
          </p>
          <p>
            A meeting that runs cannot move. While its server does not answer, its room answers{' '}
            <LinkedCodes words={['provider-unavailable']} />. After ten minutes of silence the meeting is given up (
            <code>provider-lost</code>), charged until it was seen last, and the next one who comes begins another
            elsewhere. Once the server is <code>down</code>, <Link to="ending-meetings">ending the meeting</Link> does
            so at once. A server that comes back is asked to end what was given up.
          </p>
        </>
      ),
      samples: (
        <ShellSample
          title="Where meetings had to go elsewhere"
          lines={`
curl "$FOYER/api/v1/audit-log?search=action:service_provider.failed_over&searchFields=action:%3D" \\
  -H "Authorization: Bearer $TOKEN"`}
        />
      ),
    },
  ];
}

function lookingAfter(): Topic[] {
  return [
    {
      id: 'provider-health',
      title: 'Health',
      words: 'healthy degraded down unknown availability history monitoring latency check-providers',
      said: (
        <>
          <p>
            Every active server is asked once a minute, and at once when it is added or its properties are changed,
            which forgets the failures of before. It is <code>down</code> after two failures in a row or when it does
            not accept the secret, <code>degraded</code> for a quarter of an hour after a failure and when answers take
            two seconds or more or complain, <code>unknown</code> when nobody asked for five minutes, as while it is
            switched off or no worker runs.
          </p>
          <p>
            <Link to="listServiceProviderHealth">All of them</Link> at once for a monitor, or{' '}
            <Link to="readServiceProviderHealth">one with its history</Link> by <code>period</code> (<code>hour</code>,{' '}
            <code>day</code>, <code>week</code>, <code>month</code>): checks, failures, latency, the most meetings and
            people. Reading asks no server.
          </p>
        </>
      ),
      samples: (
        <ShellSample
          title="For a monitor; over a week"
          lines={`
curl $FOYER/api/v1/service-providers/health \\
  -H "Authorization: Bearer $TOKEN"

curl "$FOYER/api/v1/service-providers/$PROVIDER/health?period=week" \\
  -H "Authorization: Bearer $TOKEN"`}
        />
      ),
    },
    {
      id: 'own-certificates',
      title: 'Certificates of your own',
      words: 'ca_certificate pem tls self-signed private certificate authority',
      said: (
        <p>
          For a server whose certificate no public authority has signed, give the certificates of yours in{' '}
          <code>ca_certificate</code>, as PEM. Only they are trusted for that server then; names and dates are checked
          as ever, and there is no way to check nothing. <code>null</code> goes back to the public ones. Browsers of
          participants must trust it by themselves.
        </p>
      ),
      samples: (
        <ShellSample
          title="The certificates of ca.pem"
          lines={`
PEM=$(awk '{printf "%s\\\\n", $0}' ca.pem)

curl -X PATCH $FOYER/api/v1/service-providers/$PROVIDER \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d "{\\"properties\\": {\\"ca_certificate\\": \\"$PEM\\"}}"`}
        />
      ),
    },
    {
      id: 'changing-credentials',
      title: 'Changing its secret or address',
      words: 'rotate secret credentials properties host_url checksum_algorithm move',
      said: (
        <>
          <p>
            Properties that are not named stay, and the mask written back changes nothing. What is changed holds at once
            for all packages and subscriptions, in every process. Between the change on the server and the one here,
            requests are refused: meetings go on, but nobody comes in. So drain the server first, or do both at a quiet
            hour, and check.
          </p>
          <p>
            An address is that of the same server under another name. Another server is another provider: meetings that
            run and recordings that are kept are looked for where they were made.
          </p>
        </>
      ),
      samples: (
        <ShellSample
          title="A new secret"
          lines={`
curl -X PATCH $FOYER/api/v1/service-providers/$PROVIDER \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"properties": {"secret": "the new one"}}'

curl -X POST $FOYER/api/v1/service-providers/$PROVIDER/check \\
  -H "Authorization: Bearer $TOKEN"`}
        />
      ),
    },
  ];
}

const types: readonly (readonly [string, string, string])[] = [
  [
    'bigbluebutton',
    'BigBlueButton, also behind a balancer that speaks as it does. `bbb` is taken for it.',
    'Lacks nothing. Events come at once where it has web hooks, else it is looked at every minute.',
  ],
  [
    'scalelite',
    'A Scalelite with its servers behind it. Place several in a pool as you would single servers.',
    'Lacks events at once, messages in the chat, subtitles and `sha384`. The texts of a room, encoded, must fit into 6,000 bytes with all that is sent to open a meeting. It reports no sizes of recordings: set `recording_kbps`, so that `max_storage` counts an estimate. Set `admin_secret` (its `LOADBALANCER_SECRET`), so that its health tells whether a server behind it is online. Where its list of meetings is switched off, only our own count.',
  ],
];
