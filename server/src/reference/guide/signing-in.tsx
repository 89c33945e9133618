/** @jsxImportSource preact */
import { Link } from '../reference-context.tsx';
import { JsonSample, ShellSample } from '../sample.tsx';
import type { Addresses, GuidePage } from './guide-page.tsx';

export function signingIn({ root }: Addresses): GuidePage {
  return {
    slug: 'getting-in',
    title: 'Signing in',
    lead: 'Every request carries an access token, except those that hand one out and the door of a room.',
    topics: [
      {
        id: 'log-in',
        title: 'Log in',
        words: 'login username password proxy populations administrators users cookie',
        said: (
          <>
            <p>
              Administrators and customers' users are two populations that never mix, each with a login of its own:{' '}
              <Link to="loginAdmin">
                <code>/oauth/proxy/login</code>
              </Link>{' '}
              and{' '}
              <Link to="loginUser">
                <code>/oauth/proxy/users/login</code>
              </Link>
              . The name is the user name or the email; users have an email only.
            </p>
            <p>
              A wrong name, a wrong password and an inactive account get one and the same answer. Administrators with a
              second factor send its code as <code>otp</code>: see <Link to="two-factor">the second factor</Link>.
            </p>
            <p>
              The login also sets the cookie <code>refresh_token</code>, for pages of the platform itself; pages of
              other origins are refused. Programs of other parties, and pages elsewhere, use{' '}
              <Link to="tokens">OAuth</Link>.
            </p>
          </>
        ),
        samples: (
          <>
            <ShellSample
              title="Log in"
              lines={`
FOYER=${root}

curl $FOYER/oauth/proxy/login \\
  -H 'Content-Type: application/json' \\
  -d '{"username": "admin", "password": "…"}'`}
            />
            <JsonSample title="200 Answer" value={tokens} />
          </>
        ),
      },
      {
        id: 'call',
        title: 'Call with the token',
        words: 'authorization bearer header access token me',
        said: (
          <>
            <p>
              Send it as <code>Authorization: Bearer …</code>. An administrator may do what the permissions of all roles
              together allow, as far as the scopes of the token go: see{' '}
              <Link to="who-may-do-what">who may do what</Link>. Revoked tokens, changed roles and deactivated people
              are noticed on the very next request.
            </p>
            <p>
              <Link to="readCallingAdmin">
                <code>/admins/me</code>
              </Link>{' '}
              and{' '}
              <Link to="readCallingUser">
                <code>/users/me</code>
              </Link>{' '}
              answer with whoever calls.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="Call"
            lines={`
TOKEN=${tokens.access_token}

curl $FOYER/api/v1/admins/me \\
  -H "Authorization: Bearer $TOKEN"`}
          />
        ),
      },
      {
        id: 'refresh',
        title: 'Renew',
        words: 'refresh token rotation expires reuse theft',
        said: (
          <>
            <p>
              An access token lives for <code>expires_in</code> seconds. Exchange the refresh token for a new pair
              before that. Each refresh token is good for one exchange; several requests that exchange the same one
              within ten seconds all get a valid pair, so that tabs do not log each other out.
            </p>
            <p>
              One that comes back later was stolen, or kept twice: then everything that came of that login ends at once,
              and it is in the audit log.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="Renew"
            lines={`
REFRESH=${tokens.refresh_token}

curl $FOYER/oauth/proxy/login/refresh \\
  -H 'Content-Type: application/json' \\
  -d "{\\"refresh_token\\": \\"$REFRESH\\"}"`}
          />
        ),
      },
      {
        id: 'log-out',
        title: 'See where you are logged in, and log out',
        words: 'logout sessions revoke end everywhere',
        said: (
          <>
            <p>
              <code>GET /oauth/tokens</code> lists your own live logins, consents and tokens, with the address and the
              program that they were made from. One is ended by its id, all but the one that you call with by{' '}
              <code>DELETE /oauth/tokens</code>.
            </p>
            <p>
              <code>DELETE /logout</code> ends the token that it shows together with what renews it. A new password ends
              every other session of its owner. Those who may change an administrator or a user can end everything that
              it is logged in with: <code>DELETE /admins/…/sessions</code>, <code>DELETE /users/…/sessions</code>.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="Look, and log out"
            lines={`
curl $FOYER/api/v1/oauth/tokens \\
  -H "Authorization: Bearer $TOKEN"

curl -X DELETE $FOYER/logout \\
  -H "Authorization: Bearer $TOKEN"`}
          />
        ),
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
