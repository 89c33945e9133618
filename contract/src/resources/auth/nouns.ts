import { crudEvents, type Nouns, type Tags } from '../../conventions/noun.ts';

export const nouns = {
  oauth_client: {
    object: 'OauthClient',
    prefix: 'client',
    permissions: { 'oauth-clients': { read: [], create: [], update: [], delete: [] } },
    events: {
      ...crudEvents('OAuth client', 'An'),
      secret_rotated: 'The secret of an OAuth client was rotated.',
      authorized: 'An administrator or a user allowed an OAuth client to act on their behalf.',
      escalation_refused:
        'A request was rejected because it would have given an OAuth client scopes that the caller does not hold.',
    },
  },
  oauth_token: {
    object: 'OauthToken',
    prefix: 'tok',
    events: {
      created: 'A session began.',
      deleted: 'A session ended: all its tokens were revoked.',
      reuse_detected: 'A refresh token was used twice, so its session was ended.',
    },
  },
  personal_access_token: {
    object: 'PersonalAccessToken',
    prefix: 'pat',
    events: {
      created: 'A personal access token was created.',
      deleted: 'A personal access token was revoked.',
    },
  },
} as const satisfies Nouns;

export const tags: Tags = {
  Authentication: 'How administrators and users log in, renew their tokens and log out.',
  OAuth: 'The authorization server: grants, revocation, introspection and metadata, following the RFCs.',
  'OAuth clients': 'Programs that request tokens: their names, redirect addresses and scopes.',
  'Personal access tokens': 'Tokens that a person creates for their own programs.',
  Sessions: "The caller's sessions and tokens on all devices, and how to end them.",
};
