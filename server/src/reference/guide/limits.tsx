/** @jsxImportSource preact */
import { Table } from '../prose.tsx';
import { Link, LinkedCodes } from '../reference-context.tsx';
import { Sample, ShellSample } from '../sample.tsx';
import type { GuidePage } from './guide-page.tsx';

const allowances: readonly (readonly [string, string, string, string])[] = [
  ['default', 'a token is shown', 'each administrator, user or client', 'requests_per_minute'],
  ['anonymous', 'none, or one that is not valid', 'each address', 'anonymous_requests_per_minute'],
  ['login', 'somebody logs in, besides', 'each address and name', 'logins_per_minute'],
];

const sizes: readonly (readonly [string, string])[] = [
  ['A body', '1 MiB; JSON at most 64 levels deep'],
  ['Header fields', '16 KiB together'],
  ['A page of a list', '1,000 rows; any number with limit=0'],
  ['A search', '512 characters and 10 keywords, counting each word and each value of a field'],
  ['orderBy', '10 fields, each once'],
  ['include', '20 names, four deep; 10,000 included objects in one answer'],
  ['A list in a body', '1,000 entries'],
  ['Metadata', '256 keys of 1 to 64 characters, 64 KiB together'],
];

export function limits(): GuidePage {
  return {
    slug: 'limits',
    title: 'Limits',
    lead: 'How many requests, and how large.',
    topics: [
      {
        id: 'rate-limits',
        title: 'Requests in a minute',
        words: 'rate limit ratelimit retry-after 429 throttle quota requests_per_minute',
        said: (
          <>
            <p>
              Every answer says what is left of each allowance that was asked, in the fields{' '}
              <code>RateLimit-Policy</code> (requests <code>q</code> in <code>w</code> seconds) and{' '}
              <code>RateLimit</code> (<code>r</code> left, whole again in <code>t</code> seconds). A request too many is{' '}
              <LinkedCodes words={['too-many-requests']} /> with <code>Retry-After</code>: wait that many seconds.
            </p>
            <Table heads={['Allowance', 'Where', 'For', 'Setting']}>
              {allowances.map(([name, where, whom, setting]) => (
                <tr key={name}>
                  <th scope="row">
                    <code>{name}</code>
                  </th>
                  <td data-label="where">{where}</td>
                  <td data-label="for">{whom}</td>
                  <td data-label="setting">
                    <code>{setting}</code>
                  </td>
                </tr>
              ))}
            </Table>
            <p>
              An address is one of IPv4, or a network of 64 bits of IPv6. All processes count together. Besides, ten
              wrong passwords or codes for one name from one address close the door to that pair for ten minutes, which
              is a 429, too; nobody else is shut out by it.
            </p>
            <p>
              Each caller may have eight list requests under way at once, counted until their answers have ended; the
              next is <LinkedCodes words={['too-many-at-once']} />. Two lists with <code>limit=0</code> run at once for
              one customer, the others wait for them. A client that reads nothing for a minute is disconnected, and so
              is one that has not read everything after ten minutes.
            </p>
          </>
        ),
        samples: (
          <>
            <ShellSample
              title="Look at the fields"
              lines={`
curl -s -o /dev/null -D - $FOYER/api/v1/features \\
  -H "Authorization: Bearer $TOKEN" | grep -i ratelimit`}
            />
            <Sample
              title="Answer"
              html={'ratelimit-policy: <i>"default";q=600;w=60</i>\nratelimit: <i>"default";r=597;t=31</i>'}
            />
          </>
        ),
      },
      {
        id: 'trying-again',
        title: 'What to try again, and when',
        words: 'retry backoff 503 busy conflict',
        said: (
          <>
            <p>
              429 and 503 carry <code>Retry-After</code>. Those two, <LinkedCodes words={['conflict']} /> and a
              connection that broke are worth trying again, reads at once and writes with an{' '}
              <Link to="idempotency">
                <code>Idempotency-Key</code>
              </Link>
              . Wait a little longer each time. All other refusals stay what they are.
            </p>
          </>
        ),
      },
      {
        id: 'sizes',
        title: 'Sizes',
        words: 'body too large maximum length headers',
        said: (
          <Table heads={['What', 'At most']}>
            {sizes.map(([what, most]) => (
              <tr key={what}>
                <th scope="row">{what}</th>
                <td>{most}</td>
              </tr>
            ))}
          </Table>
        ),
      },
    ],
  };
}
