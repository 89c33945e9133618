/** @jsxImportSource preact */
import { Link, LinkedCodes } from '../reference-context.tsx';
import { ShellSample } from '../sample.tsx';
import type { GuidePage } from './guide-page.tsx';

export function twoFactor(): GuidePage {
  return {
    slug: 'two-factor',
    title: 'The second factor',
    lead: 'Administrators may have to show six digits of an app besides the password.',
    topics: [
      {
        id: 'set-up-second-factor',
        title: 'Set it up',
        words: 'totp authenticator app qr code recovery codes enroll 2fa mfa',
        said: (
          <>
            <p>
              Begin with the password: the answer has the secret, as text, as an <code>otpauth:</code> address and as a
              picture for the app to scan. It counts once a first code has confirmed it. Then ten recovery codes are
              shown, this once, and every other session of the administrator ends. New recovery codes take the password
              and a code. All of it takes the token of a sign-in with all scopes, no token of a client or by hand.
            </p>
            <p>
              With the setting <code>require_two_factor</code> administrators without a second factor can do nothing but
              read and change themselves, set one up, and log out; everything else answers{' '}
              <LinkedCodes words={['second-factor-enrollment-required']} />.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="Begin, and confirm"
            lines={`
curl $FOYER/api/v1/admins/me/two-factor \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"password": "…"}'

curl $FOYER/api/v1/admins/me/two-factor/confirm \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"code": "492039"}'

curl $FOYER/api/v1/admins/me/two-factor/recovery-codes \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"password": "…", "code": "610284"}'`}
          />
        ),
      },
      {
        id: 'sign-in-with-second-factor',
        title: 'Sign in with it',
        words: 'otp login recovery code lost phone',
        said: (
          <>
            <p>
              A login with the right name and password but without a code answers{' '}
              <LinkedCodes words={['second-factor-required']} />: send it again with <code>otp</code>. A code passes
              once, one that was used is <LinkedCodes words={['second-factor-wrong']} />. A recovery code does in its
              place, once each.
            </p>
            <p>
              Whoever has neither asks an administrator who holds <LinkedCodes words={['update-admins']} /> to{' '}
              <Link to="resetTwoFactor">remove it</Link>. The refresh token asks for no code; a personal access token
              does not either.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="Log in with a code"
            lines={`
curl $FOYER/oauth/proxy/login \\
  -H 'Content-Type: application/json' \\
  -d '{"username": "admin", "password": "…", "otp": "492039"}'`}
          />
        ),
      },
    ],
  };
}
