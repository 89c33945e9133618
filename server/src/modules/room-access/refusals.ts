import type { EntryRefusal } from '@foyer/contract/resources/room-entry.ts';
import { Failure, unavailable } from '../../platform/failures.ts';
import { epochMs } from '../../platform/time/instant.ts';
import type { RoomTokenRow } from '../rooms/index.ts';

/** What the visitor is told: what is the matter, and what to do about it. */
export const refusalSentences: Record<EntryRefusal, string> = {
  'room-inactive': 'This room is closed. Ask the person who invited you when it opens.',
  'customer-not-usable': 'This room is not available at the moment. Ask the person who invited you.',
  'account-not-usable': 'This room is not available at the moment. Ask the person who invited you.',
  'entry-subscription-not-usable':
    'This room is not available: its subscription has ended. Ask the person who runs the room.',
  'no-usable-provider': 'This room has no meeting server at the moment. Ask the person who runs the room.',
  'meeting-not-accepted':
    'The meeting server does not accept the settings of this room. Ask the person who runs the room to shorten its texts.',
  'token-required': 'You need an invitation link to enter this room. Ask the person who invited you for it.',
  'token-unknown': 'Your invitation link is not valid for this room. Ask for a new one.',
  'token-expired': 'Your invitation link has expired. Ask for a new one.',
  'token-not-yet-valid': 'Your invitation link is not valid yet. Come back at the time that you were invited for.',
  'token-used-up': 'Your invitation link has been used as often as it may be. Ask for a new one.',
  'token-of-another-user':
    'This invitation link is for one person only. Sign in as that person, or ask for a link of your own.',
  'guest-access-off': 'This room does not admit guests. Ask for a personal invitation link.',
  'access-code-required': 'This room needs an access code. Enter the one that you were given.',
  'access-code-wrong': 'This access code is not valid. Check it and try again.',
  'access-code-other-role':
    'This access code belongs to another kind of invitation. Enter the one that came with your link.',
  'participant-minutes-used-up': 'The meeting minutes of this period are used up. Ask the person who runs the room.',
  'limit-is-zero':
    'This room allows no meetings: one of its limits is 0. Ask the person who runs the room to raise it.',
  'waiting-for-moderator': 'The meeting has not started yet. You can enter as soon as a moderator is there.',
  'concurrent-meetings-reached':
    'Too many meetings are running at the same time. Try again when another one has ended.',
  'concurrent-participants-reached': 'Too many people are in meetings at the same time. Try again in a while.',
  'room-full': 'The room is full. Try again when someone has left.',
};

/** Further English sentences about a refusal. The room pages translate them like the sentences above. */
export const refusalTexts = {
  providerUnavailable: 'The meeting server does not answer at the moment. Wait a little, then try again.',
  tokenValidFrom: 'It is valid from {time}.',
  tokenExpiredOn: 'It expired on {time}.',
};

/** @param shown the token that was shown, whose times the message tells */
export function refusal(code: EntryRefusal, shown?: { token: TokenTimes | null; timeZone: string }): Failure {
  const sentence = refusalSentences[code];
  return new Failure(code, shown ? withTokenTime(sentence, code, shown) : sentence);
}

/** The times of a room token. */
export type TokenTimes = Pick<RoomTokenRow, 'not_before' | 'expires_at'>;

/** The sentence about a token that is not valid yet or has expired, followed by the time that it tells of. */
export function withTokenTime(
  sentence: string,
  code: string,
  { token, timeZone }: { readonly token: TokenTimes | null; readonly timeZone: string },
  texts: Pick<typeof refusalTexts, 'tokenValidFrom' | 'tokenExpiredOn'> & { readonly language: string } = english,
): string {
  const [text, instant] =
    code === 'token-not-yet-valid'
      ? [texts.tokenValidFrom, token?.not_before]
      : code === 'token-expired'
        ? [texts.tokenExpiredOn, token?.expires_at]
        : [];
  if (!text || !instant) return sentence;
  const time = new Intl.DateTimeFormat(texts.language, { ...timeFormat, timeZone }).format(epochMs(instant));
  return `${sentence} ${text.replaceAll('{time}', time)}`;
}

const english = { ...refusalTexts, language: 'en' };

const timeFormat = {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
} as const;

export function notAccepted(cause: unknown): Failure {
  return new Failure('meeting-not-accepted', refusalSentences['meeting-not-accepted'], { cause });
}

export function endedMeanwhile(): Failure {
  return unavailable('provider-unavailable', 'The meeting was ended while it began. Please try again.');
}
