/** How to fix a refusal: a sentence, and the tab of the room where it is done. */
export interface Advice {
  readonly text: string;
  readonly tab?: string;
  readonly tabLabel?: string;
}

interface Refusal {
  readonly code: string;
  readonly facts: readonly { readonly subject: { readonly type: string } | null; readonly feature: string | null }[];
}

/** Where the same refusal has several causes, what is found behind it tells which. */
export function adviceFor({ code, facts }: Refusal): Advice | null {
  const [fact] = facts;
  if (code === 'guest-access-off' && fact?.subject?.type === 'Room') {
    return fact.feature === null ? guestsRefused : guestsSwitchedOff;
  }
  return advice[code] ?? null;
}

const tokens = { tab: 'tokens', tabLabel: 'Tokens' };
const codes = { tab: 'access-codes', tabLabel: 'Access codes' };
const features = { tab: 'features', tabLabel: 'Features' };

const guestsRefused: Advice = {
  text: 'Change the guest policy of the room from “Reject guests”, or send them a token with another role.',
  tab: 'settings',
  tabLabel: 'Settings',
};
const guestsSwitchedOff: Advice = {
  text: 'Switch guest access on again in the features of the room, or send them a token with another role.',
  ...features,
};

const advice: Readonly<Record<string, Advice>> = {
  'room-inactive': { text: 'Edit the room and set its status to active.' },
  'customer-not-usable': { text: 'Reactivate the customer, or the reseller above it that is named here.' },
  'account-not-usable': { text: 'Set the account to active, or move the room to an account that is.' },
  'entry-subscription-not-usable': { text: 'Renew or reactivate the subscription that is named here.' },
  'no-usable-provider': {
    text: 'Give the subscription a provider that is active, has room and takes new meetings, or stop draining one.',
  },
  'token-required': {
    text: 'Make a token for them, or make the room public so that guests come in without one.',
    ...tokens,
  },
  'token-unknown': {
    text: 'The link was cut off, belongs to another room, or its token was deleted. Make a new one and send its link.',
    ...tokens,
  },
  'token-expired': { text: 'Set another end for the token, or make a new one.', ...tokens },
  'token-not-yet-valid': { text: 'Wait until then, or let the token begin earlier.', ...tokens },
  'token-used-up': { text: 'Raise the number of uses of the token, or make a new one.', ...tokens },
  'token-of-another-user': {
    text: 'They have to sign in on the room page as the user to whom the token is bound. Or create a token without a user.',
    ...tokens,
  },
  'guest-access-off': {
    text: 'Sell guest access with the subscription, or send them a token with another role.',
    ...tokens,
  },
  'access-code-required': { text: 'Tell them the access code of their role.', ...codes },
  'access-code-wrong': {
    text: 'Compare what they typed with the codes of the room; an expired one counts as wrong.',
    ...codes,
  },
  'access-code-other-role': {
    text: 'The code exists, for another role than that of their link. Tell them theirs.',
    ...codes,
  },
  'meeting-not-accepted': {
    text: 'Shorten the texts in the settings of the room: they go to the meeting server in one request, whose length it limits.',
    tab: 'settings',
    tabLabel: 'Settings',
  },
  'participant-minutes-used-up': {
    text: 'The minutes come back with the next period; until then, sell more by another package or value.',
  },
  'limit-is-zero': { text: 'Raise the limit that is 0, in the room or in its subscription.', ...features },
  'waiting-for-moderator': {
    text: 'A moderator has to start the meeting. Or let anyone start it, in the settings of the room.',
    tab: 'settings',
    tabLabel: 'Settings',
  },
  'concurrent-meetings-reached': {
    text: 'Wait until another meeting of the subscription ends, end one, or sell more at the same time.',
    tab: 'meetings',
    tabLabel: 'Meetings',
  },
  'concurrent-participants-reached': {
    text: 'Wait until a participant leaves a meeting of the subscription, or raise the limit of participants.',
  },
  'room-full': { text: 'Wait until a participant leaves, or raise the limit of the room.', ...features },
  'provider-unavailable': {
    text: 'Look at the provider that is named here: its server has to answer again. Ending its meeting frees the room at once when the server is down; otherwise it is given up after ten minutes of silence, and the room opens elsewhere. A provider that is drained can take meetings again: stop draining it.',
  },
};
