import type { EntryRefusal } from '@foyer/contract/resources/rooms/room-entry.ts';
import { Failure, type RefusedLimit, unavailable } from '../../platform/failures.ts';
import { english, fill } from '../../platform/text/catalogues.ts';
import { epochMs } from '../../platform/time/instant.ts';
import type { RoomTokenRow } from '../rooms/index.ts';

/** The message for the visitor: the cause and the next step. */
export const refusalSentences: Readonly<Record<EntryRefusal, string>> = english.room.refusals;

/** Further English sentences about a refusal. */
export const refusalTexts = english.room;

/**
 * @param tokenTimes the token of the visitor, whose times appear in the message
 * @param limit the limit that is reached
 */
export function refusal(
  code: EntryRefusal,
  tokenTimes?: { token: TokenTimes | null; timeZone: string },
  limit?: RefusedLimit,
): Failure {
  const sentence = refusalSentences[code];
  return new Failure(code, tokenTimes ? withTokenTime(sentence, code, tokenTimes) : sentence, limit && { limit });
}

/** The times of a room token. */
export type TokenTimes = Pick<RoomTokenRow, 'not_before' | 'expires_at'>;

/** Adds the start or expiry of the token to a sentence that says that the token is not valid yet or has expired. */
export function withTokenTime(
  sentence: string,
  code: string,
  { token, timeZone }: { readonly token: TokenTimes | null; readonly timeZone: string },
  texts: Pick<typeof refusalTexts, 'tokenValidFrom' | 'tokenExpiredOn'> & { readonly language: string } = {
    ...refusalTexts,
    language: english.language,
  },
): string {
  const [text, instant] =
    code === 'token-not-yet-valid'
      ? [texts.tokenValidFrom, token?.not_before]
      : code === 'token-expired'
        ? [texts.tokenExpiredOn, token?.expires_at]
        : [];
  if (!text || !instant) return sentence;
  const time = new Intl.DateTimeFormat(texts.language, { ...timeFormat, timeZone }).format(epochMs(instant));
  return `${sentence} ${fill(text, { time })}`;
}

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
  return unavailable('provider-unavailable', 'The meeting was ended while it was starting. Please try again.');
}
