/** @jsxImportSource preact */
import { Prose } from '../prose.tsx';

import { JsonSample, paintCurl, Sample } from '../sample.tsx';
import type { Addresses, GuidePage } from './guide-page.tsx';

export function lists({ server }: Addresses): GuidePage {
  const search = `${server}/rooms?search=status:active;created_at:2026-02-01,2026-02-28&searchFields=created_at:between&searchJoin=and&limit=50`;
  const pagination = {
    total: 128,
    count: 50,
    per_page: 50,
    current_page: 1,
    total_pages: 3,
    next_cursor: 'WyJrM3Y5cTJ4YSIs…',
    links: { previous: null, next: `${server}/rooms?…&page=2` },
  };
  return {
    slug: 'lists',
    title: 'Lists and searches',
    lead: 'One dialect for every list.',
    topics: [
      {
        id: 'list-parameters',
        title: 'Query parameters',
        said: (
          <>
            <table class="members">
              <tbody>
                {listDialect.map(([names, text]) => (
                  <tr key={names}>
                    <th>
                      {names.split(', ').map((name) => (
                        <code key={name}>{name}</code>
                      ))}
                    </th>
                    <td>
                      <p>
                        <Prose text={text} />
                      </p>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            <p>
              Text is found when it contains the value, in any case; identifiers, choices, booleans and numbers when
              they equal it; times on that whole day. A field that the list does not have is a 422 that names those that
              it has.
            </p>
          </>
        ),
        samples: (
          <>
            <Sample
              title="Rooms opened in February that are active"
              wraps
              html={paintCurl({ verb: 'get', url: search, needsToken: true })}
            />
            <JsonSample title="meta.pagination" value={pagination} />
          </>
        ),
      },
    ],
  };
}

const listDialect: readonly (readonly [string, string])[] = [
  [
    'orderBy, sortedBy',
    'Fields and directions, several by `,` or `;`: `orderBy=status,created_at&sortedBy=asc,desc`. At most 10 fields, each once. Otherwise the newest come first.',
  ],
  [
    'limit',
    'Rows per page, up to 1000. `0` streams every match, without `meta.pagination`. A stream that cannot be continued is broken off: it never ends as valid JSON.',
  ],
  ['page', 'Which page. Beyond the last one: no rows, true totals.'],
  ['cursor', '`meta.pagination.next_cursor` of the page before: as fast at the end as at the beginning.'],
  ['count', '`false` leaves the totals out, which saves counting.'],
  [
    'search',
    '`search=lisbon` looks for words, `search=status:active` into a field, `;` separates several. `\\` takes the meaning of `; : , \\` away. At most 512 characters and 10 keywords: each word and each value of a field is one.',
  ],
  ['searchJoin', '`and` when every segment must match; otherwise one is enough.'],
  [
    'searchFields',
    'Another condition for a field: `=` `!=` `like` `in` `between` `>` `>=` `<` `<=`. At most 512 characters.',
  ],
  ['skipCache', '`true` forces a fresh read.'],
];
