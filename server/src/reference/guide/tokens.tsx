/** @jsxImportSource preact */
import { CodeTable } from '../prose.tsx';
import { Link, LinkedCodes } from '../reference-context.tsx';
import { JsonSample, ShellSample } from '../sample.tsx';
import type { GuidePage } from './guide-page.tsx';

const grants: readonly (readonly [string, string])[] = [
  ['authorization_code', 'A person consents in the browser; with PKCE. For apps and pages of other parties.'],
  ['client_credentials', 'The client acts for itself, by its secret. For servers; of administrators only.'],
  ['refresh_token', 'Renews what came of the others, once each.'],
  ['password', 'Name and password, for clients of the platform itself.'],
];

export function tokens(): GuidePage {
  return {
    slug: 'tokens',
    title: 'OAuth and tokens',
    lead: 'Tokens for programs: by consent, by the secret of a client, or made by hand.',
    topics: [
      {
        id: 'grants',
        title: 'Which grant for what',
        words: 'oauth client register confidential public redirect uri grant types',
        said: (
          <>
            <p>
              <Link to="createOauthClient">Register a client</Link> first: for which population, whether it can keep a
              secret, where it leads back to, which grants it uses, and which scopes it may ask for. The secret is shown
              once. What is taken from a client later is gone from its tokens with their next request.
            </p>
            <CodeTable heads={['Grant', 'For']} rows={grants} />
            <p>
              Everything answers at the root and below <code>/api/v1</code>, takes forms and JSON, and refuses as RFC
              6749 has it. Where it is: <code>/.well-known/oauth-authorization-server</code> (RFC 8414).
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="Register a client without a secret"
            lines={`
curl $FOYER/api/v1/oauth/clients \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "name": "Desktop app",
    "population": "admins",
    "confidential": false,
    "redirect_uris": ["http://127.0.0.1/callback"],
    "grants": ["authorization_code", "refresh_token"],
    "scopes": ["rooms:read"]
  }'

CLIENT=client_…`}
          />
        ),
      },
      {
        id: 'pkce',
        title: 'By consent, with PKCE',
        words: 'authorization code authorize code_challenge code_verifier S256 state redirect browser consent',
        said: (
          <>
            <ol>
              <li>Make a verifier, and the challenge of it.</li>
              <li>
                Send the browser to <code>/oauth/authorize</code>; the person logs in there, and consents.
              </li>
              <li>
                It comes back to your address with <code>code</code>, <code>state</code> and <code>iss</code>. Compare{' '}
                <code>state</code> with what you sent.
              </li>
              <li>Exchange the code, with the verifier.</li>
            </ol>
            <p>
              The code is good for ten minutes at most and for one exchange; a second one ends the tokens of the first.
              Clients without a secret must use PKCE (only <code>S256</code>), the others should. The address is
              compared letter by letter; on <code>127.0.0.1</code> and <code>[::1]</code> any port will do.
            </p>
          </>
        ),
        samples: (
          <>
            <ShellSample
              title="1, 2. To the browser"
              lines={`
VERIFIER=$(openssl rand -base64 48 | tr '+/' '-_' | tr -d '=\\n')
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary |
  openssl base64 | tr '+/' '-_' | tr -d '=\\n')
BACK=http://127.0.0.1:9000/callback
STATE=$(openssl rand -hex 16)

echo "$FOYER/oauth/authorize?response_type=code&client_id=$CLIENT&redirect_uri=$BACK&scope=rooms:read&state=$STATE&code_challenge=$CHALLENGE&code_challenge_method=S256"`}
            />
            <ShellSample
              title="4. Exchange the code"
              lines={`
CODE=fac_…

curl $FOYER/oauth/token \\
  -d grant_type=authorization_code \\
  -d client_id=$CLIENT \\
  -d code=$CODE \\
  -d code_verifier=$VERIFIER \\
  --data-urlencode redirect_uri=$BACK`}
            />
          </>
        ),
      },
      {
        id: 'client-credentials',
        title: 'By the secret of a client',
        words: 'client credentials machine server basic authentication',
        said: (
          <>
            <p>
              The token has no owner: it may do what its scopes allow, which are those of the client or what you name of
              them in <code>scope</code>. <code>*</code> is refused. It is not renewed; ask for the next one.
            </p>
            <p>
              The client shows its id and secret by HTTP Basic, or as <code>client_id</code> and{' '}
              <code>client_secret</code> in the body. A new secret, at <code>/oauth/clients/…/secret</code>, ends the
              old one at once and leaves tokens alone.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="Register a machine, and get a token"
            lines={`
curl $FOYER/api/v1/oauth/clients \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "name": "Billing",
    "population": "admins",
    "grants": ["client_credentials"],
    "scopes": ["rooms:read", "customers:read"]
  }'

MACHINE=client_…
SECRET=… # secret of the answer, shown this once

curl $FOYER/oauth/token \\
  -u "$MACHINE:$SECRET" \\
  -d grant_type=client_credentials \\
  -d scope=rooms:read`}
          />
        ),
      },
      {
        id: 'oauth-refresh',
        title: 'Renew',
        words: 'refresh token grant narrower scope',
        said: (
          <p>
            As with the logins, each refresh token is good for one exchange. <code>scope</code> may ask for less than
            before, never for more. <code>$REFRESH</code> is the <code>refresh_token</code> of the exchange before,{' '}
            <code>$CLIENT</code> the client that made it.
          </p>
        ),
        samples: (
          <ShellSample
            title="Renew"
            lines={`
curl $FOYER/oauth/token \\
  -d grant_type=refresh_token \\
  -d client_id=$CLIENT \\
  -d refresh_token=$REFRESH`}
          />
        ),
      },
      {
        id: 'personal-tokens',
        title: 'Made by hand',
        words: 'personal access token script api key',
        said: (
          <>
            <p>
              A personal access token is for programs of your own. It may do what you may, limited to its scopes. It
              lives as long as the setting <code>personal_token_days</code> says, or until <code>expires_at</code>, two
              years at most, and is shown once.
            </p>
            <p>
              It makes no tokens that may do more than itself, and tokens that were given to another party's client make
              none at all: <LinkedCodes words={['first-party-only']} />.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="Make one"
            lines={`
curl $FOYER/api/v1/oauth/personal-access-tokens \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"name": "Backup script", "scopes": ["rooms:read"]}'`}
          />
        ),
      },
      {
        id: 'introspection',
        title: 'Ask, and revoke',
        words: 'introspect revoke RFC 7662 RFC 7009 metadata RFC 8414 active',
        said: (
          <>
            <p>
              A confidential client may ask what a token of its own population may do (RFC 7662); of every other token,
              and of one that has ended, it learns <code>active: false</code>.
            </p>
            <p>
              Revoking an access or a refresh token (RFC 7009) ends all that came of the same consent. A token of
              somebody else, or none at all, is answered alike.
            </p>
          </>
        ),
        samples: (
          <>
            <ShellSample
              title="Ask, and revoke"
              lines={`
curl $FOYER/oauth/introspect -u "$MACHINE:$SECRET" -d token=$TOKEN

curl $FOYER/oauth/revoke -u "$MACHINE:$SECRET" -d token=$TOKEN

curl $FOYER/.well-known/oauth-authorization-server`}
            />
            <JsonSample
              title="200 Answer"
              value={{
                active: true,
                scope: 'rooms:read',
                client_id: 'client_01kgh991d4…',
                username: 'marta.nogueira@aurora-school.example',
                token_type: 'Bearer',
                exp: 1_772_214_005,
                iat: 1_772_210_405,
                sub: 'user_01kgh98h63…',
              }}
            />
          </>
        ),
      },
    ],
  };
}
