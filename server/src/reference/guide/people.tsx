/** @jsxImportSource preact */
import { Link, LinkedCodes } from '../reference-context.tsx';
import { ShellSample } from '../sample.tsx';
import type { GuidePage } from './guide-page.tsx';

export function people(): GuidePage {
  return {
    slug: 'people',
    title: 'Inviting people',
    lead: 'Links by email: to become a user of a customer, and to choose a new password.',
    topics: [
      {
        id: 'inviting',
        title: 'Invite, and accept',
        words: 'invitation email link accept withdraw resend onboarding',
        said: (
          <>
            <p>
              An invitation leads to a membership of a customer, of an account of it with <code>account_id</code>, or of
              a room with <code>room_id</code> (<code>$CUSTOMER</code> is an id of <code>/customers</code>);{' '}
              <code>permissions</code> are the rights that it will give there. The link goes to the address and is good
              for seven days; sent again there is a new one, withdrawn there is none.
            </p>
            <p>
              The link opens a page of the platform, where somebody new chooses a password, and somebody known gives
              theirs. A program does the same with the token of the link. Where no mail server is set up,{' '}
              <code>url</code> in the answer is the link, shown this once.
            </p>
            <p>
              Domains outside of the customer's <code>allowed_domains_registration</code> are refused, and so are rights
              that the one who invites does not hold: <LinkedCodes words={['privilege-escalation']} />.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="Invite, and accept"
            lines={`
curl $FOYER/api/v1/customers/$CUSTOMER/invitations \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "email": "ines.duarte@aurora-school.example",
    "first_name": "Inês",
    "last_name": "Duarte",
    "permissions": ["read-customer", "create-account", "read-account"]
  }'

INVITATION=… # the token at the end of the link

curl $FOYER/api/v1/invitations/accept \\
  -H 'Content-Type: application/json' \\
  -d "{\\"token\\": \\"$INVITATION\\", \\"password\\": \\"a longer way to say it\\"}"`}
          />
        ),
      },
      {
        id: 'forgotten-passwords',
        title: 'Forgotten passwords',
        words: 'password reset forgot link email',
        said: (
          <>
            <p>
              Whoever forgot a password asks for a link; the answer is the same whether somebody has that email or not.
              The link is good for an hour and for one use, and a new password ends every session. An administrator may
              also <Link to="createUserPasswordReset">make the link</Link> for a user.
            </p>
            <p>
              Passwords have 12 to 128 characters and are none of the ten thousand commonest. Nothing else is asked of
              them.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="Ask for a link"
            lines={`
curl $FOYER/api/v1/users/password/forgot \\
  -H 'Content-Type: application/json' \\
  -d '{"email": "ines.duarte@aurora-school.example"}'`}
          />
        ),
      },
    ],
  };
}
