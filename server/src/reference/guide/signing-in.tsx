/** @jsxImportSource preact */
import { Link } from '../reference-context.tsx';
import { JsonSample, paintCurl, Sample } from '../sample.tsx';
import type { Addresses, GuidePage } from './guide-page.tsx';

export function signingIn({ server, root }: Addresses): GuidePage {
  const login = paintCurl({
    verb: 'post',
    url: `${root}/oauth/proxy/login`,
    needsToken: false,
    body: { username: 'admin', password: '…' },
  });
  const refresh = paintCurl({
    verb: 'post',
    url: `${root}/oauth/proxy/login/refresh`,
    needsToken: false,
    body: { refresh_token: tokens.refresh_token },
  });
  return {
    slug: 'getting-in',
    title: 'Signing in',
    lead: 'Every request carries an access token, except those that hand one out and the door of a room.',
    topics: [
      {
        id: 'log-in',
        title: '1. Log in',
        said: (
          <>
            <p>
              Administrators and customers' users are two populations that never mix, each with a login of its own:{' '}
              <code>/oauth/proxy/login</code> and <code>/oauth/proxy/users/login</code>. The name is the user name or
              the email.
            </p>
            <p>
              A wrong name, a wrong password and an inactive account get one and the same answer. The login also sets
              the cookie <code>refresh_token</code> for pages of the platform itself; pages of other sites are refused.
            </p>
          </>
        ),
        samples: (
          <>
            <Sample title="Request" wraps html={login} />
            <JsonSample title="200 Answer" value={tokens} />
          </>
        ),
      },
      {
        id: 'call',
        title: '2. Call with the token',
        said: (
          <>
            <p>
              Send it as <code>Authorization: Bearer …</code>. An administrator may do what the permissions of all roles
              together allow, as far as the scopes of the token go. Revoked tokens, changed roles and deactivated people
              are noticed on the very next request.
            </p>
          </>
        ),
        samples: (
          <Sample
            title="Request"
            wraps
            html={`TOKEN=<i>${tokens.access_token}</i>\n\n${paintCurl({ verb: 'get', url: `${server}/admins/me`, needsToken: true })}`}
          />
        ),
      },
      {
        id: 'refresh',
        title: '3. Renew, and log out',
        said: (
          <>
            <p>
              An access token lives for <code>expires_in</code> seconds. Exchange the refresh token for a new pair
              before that; each refresh token is good for one exchange. <code>DELETE /logout</code> ends both.
            </p>
            <p>
              Programs with an OAuth client of their own use <Link to="issueToken">the token endpoint</Link> of RFC 6749
              instead.
            </p>
          </>
        ),
        samples: <Sample title="Request" wraps html={refresh} />,
      },
    ],
  };
}

const tokens = {
  token_type: 'Bearer',
  expires_in: 3600,
  access_token: 'fat_4Vt0c1mZq8XoJ2yR…',
  refresh_token: 'frt_9Kd2xWm5TzQ1vYb8…',
  scope: '*',
};
