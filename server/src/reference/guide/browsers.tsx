/** @jsxImportSource preact */
import { Link } from '../reference-context.tsx';
import { ShellSample } from '../sample.tsx';
import type { GuidePage } from './guide-page.tsx';

export function browsers(): GuidePage {
  return {
    slug: 'browsers',
    title: 'Pages of other origins',
    lead: 'Which pages in a browser may call, and how.',
    topics: [
      {
        id: 'cors',
        title: 'CORS',
        words: 'cross origin preflight options access-control-allow-origin allowed_domains_origins fetch',
        said: (
          <>
            <p>
              Pages may read answers of the API when their origin is one that a customer lists in{' '}
              <code>allowed_domains_origins</code>, or one to which an OAuth client without a secret leads back; and the
              platform's own pages. They send the access token; the browser's cookies never count. A preflight is
              answered without a token and remembered for two hours.
            </p>
            <p>
              Such pages may send <code>Authorization</code>, <code>Content-Type</code>, <code>Idempotency-Key</code>,{' '}
              <code>If-Match</code>, <code>If-None-Match</code> and <code>X-Request-Id</code>, and read{' '}
              <code>ETag</code>, <code>Idempotent-Replayed</code>, <code>RateLimit</code>, <code>RateLimit-Policy</code>
              , <code>Retry-After</code> and <code>X-Request-Id</code> of the answers.
            </p>
            <p>
              The proxy logins are for the platform's own pages alone: a page elsewhere gets its tokens{' '}
              <Link to="pkce">by consent</Link>.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="What a browser asks first"
            lines={`
curl -i -X OPTIONS $FOYER/api/v1/rooms \\
  -H 'Origin: https://portal.aurora-school.example' \\
  -H 'Access-Control-Request-Method: POST'`}
          />
        ),
      },
    ],
  };
}
