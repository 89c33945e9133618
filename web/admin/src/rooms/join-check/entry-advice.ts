/** How to fix a refusal: a sentence and the tab of the room. */
export interface Advice {
  readonly text: string;
  readonly tab?: string;
  readonly tabLabel?: string;
}

interface Refusal {
  readonly code: string;
  readonly facts: readonly { readonly subject: { readonly type: string } | null; readonly feature: string | null }[];
}

/**
 * One code can have several causes. The first of the facts tells whether the guest policy or a feature of the room
 * rejects guests.
 */
export function findAdvice({ code, facts }: Refusal): Advice | null {
  const [cause] = facts;
  if (code === 'guest-access-off' && cause?.subject?.type === 'Room') {
    return cause.feature === null ? guestPolicyRejects : guestAccessDisabledInRoom;
  }
  return advice[code] ?? null;
}

const tokens = { tab: 'tokens', tabLabel: 'Tokens' };
const codes = { tab: 'access-codes', tabLabel: 'Access codes' };
const features = { tab: 'features', tabLabel: 'Features' };

const guestPolicyRejects: Advice = {
  text: 'The guest policy of the room is “Reject guests”. Choose another policy, or send this person a token with another role.',
  tab: 'settings',
  tabLabel: 'Settings',
};
const guestAccessDisabledInRoom: Advice = {
  text: 'Enable guest access in the features of the room, or send this person a token with another role.',
  ...features,
};

const advice: Readonly<Record<string, Advice>> = {
  'room-inactive': { text: 'Edit the room and set its status to active.' },
  'customer-not-usable': { text: 'Reactivate the customer or the reseller named here.' },
  'account-not-usable': { text: 'Set the account to active, or move the room to an active account.' },
  'entry-subscription-not-usable': { text: 'Renew or reactivate the subscription named here.' },
  'no-usable-provider': {
    text: 'Add a provider that is active, has capacity and takes new meetings, or stop draining one.',
  },
  'token-required': {
    text: 'Create a token for them, or make the room public so that guests can join without one.',
    ...tokens,
  },
  'token-unknown': {
    text: 'The link is incomplete, belongs to another room, or its token was deleted. Create a new token and send its link.',
    ...tokens,
  },
  'token-expired': { text: 'Change the expiry of the token, or create a new one.', ...tokens },
  'token-not-yet-valid': { text: 'Wait until the token becomes valid, or set an earlier start.', ...tokens },
  'token-used-up': { text: 'Raise the number of uses of the token, or create a new one.', ...tokens },
  'token-of-another-user': {
    text: 'They have to sign in on the room page as the user of the token. Or create a token that is not bound to a user.',
    ...tokens,
  },
  'guest-access-off': {
    text: 'Add guest access to the subscription, or send this person a token with another role.',
    ...tokens,
  },
  'access-code-required': { text: 'Send them the access code of their role.', ...codes },
  'access-code-wrong': {
    text: 'Compare the code that they typed with the codes of the room. Expired codes don’t work.',
    ...codes,
  },
  'access-code-other-role': {
    text: 'The code is for a different role than their link. Send them the code of their role.',
    ...codes,
  },
  'meeting-not-accepted': {
    text: 'Shorten the texts in the settings of the room. The meeting server limits the length of the request that contains them.',
    tab: 'settings',
    tabLabel: 'Settings',
  },
  'participant-minutes-used-up': {
    text: 'The minutes reset with the next period. Until then, change the package or raise the limit.',
  },
  'limit-is-zero': { text: 'Raise the limit that is 0, in the room or in its subscription.', ...features },
  'waiting-for-moderator': {
    text: 'A moderator has to start the meeting. Or let anyone start it, in the settings of the room.',
    tab: 'settings',
    tabLabel: 'Settings',
  },
  'concurrent-meetings-reached': {
    text: 'Wait until another meeting of the subscription ends, end one, or raise the limit.',
    tab: 'meetings',
    tabLabel: 'Meetings',
  },
  'concurrent-participants-reached': {
    text: 'Wait until a participant leaves a meeting of the subscription, or raise the limit of participants.',
  },
  'room-full': { text: 'Wait until a participant leaves, or raise the limit of the room.', ...features },
  'provider-unavailable': {
    text: 'Check the provider named here: its server has to respond again. If the server is down, ending the meeting frees the room immediately. Otherwise the meeting is ended after ten minutes without a response, and the room can use another provider. If the provider is draining, you can stop draining it.',
  },
};
