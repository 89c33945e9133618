import type { Dependencies } from '../../../dependencies.ts';
import { type Catalogues, fill, pluralForm, textsFor } from '../../../platform/text/catalogues.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { findMeetingProvider } from '../../service-providers/index.ts';
import { type LimitedMeeting, limitedMeetings, recordWarning } from './minute-store.ts';

/** Participants are warned this many minutes before the minutes are used up. */
const warnAtMinutes = 5;
/** How many meetings are warned at the same time. */
const maxConcurrentWarnings = 8;

/**
 * Sends one chat message to each meeting whose minutes are soon used up, if the provider supports it.
 * @returns how many messages were sent
 */
export async function warnOfMinutes(dependencies: Dependencies): Promise<number> {
  const { db, clock, settings } = dependencies;
  const meetings = await limitedMeetings(db, clock.today(settings().system_timezone));
  const due = meetings.filter(
    (meeting) =>
      !meeting.is_warned && meeting.participants > 0 && meeting.left > 0 && minutesUntilEnd(meeting) <= warnAtMinutes,
  );
  let sent = 0;
  for (let index = 0; index < due.length; index += maxConcurrentWarnings) {
    const results = await Promise.all(
      due.slice(index, index + maxConcurrentWarnings).map((meeting) => warn(dependencies, meeting)),
    );
    sent += results.filter(Boolean).length;
  }
  return sent;
}

/** How long the minutes last with the current participants of all meetings that share them. */
function minutesUntilEnd({ left, participants }: LimitedMeeting): number {
  return Math.floor(left / Math.max(1, participants));
}

async function warn(dependencies: Dependencies, meeting: LimitedMeeting): Promise<boolean> {
  const { catalogues, db, logger, settings, clock } = dependencies;
  try {
    const adapter = await findMeetingProvider(dependencies, meeting.service_provider_id);
    if (!adapter?.capabilities.sendChatMessage || !adapter.sendChatMessage) return false;
    // Stored first: a lost message is better than one that two processes send, or one that is retried every minute.
    if (!(await recordWarning(db, meeting.id, clock.now()))) return false;
    await adapter.sendChatMessage(
      meeting.provider_meeting_id,
      minuteWarning(catalogues, meeting.locale ?? settings().system_locale, Math.max(1, minutesUntilEnd(meeting))),
      settings().platform_name,
    );
    return true;
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    logger.debug(
      { provider: meeting.service_provider_id, kind: error.kind },
      'provider did not accept the chat message',
    );
    return false;
  }
}

/** The message to participants before the minutes are used up. */
export function minuteWarning(catalogues: Catalogues, locale: string, minutes: number): string {
  const { language, meeting } = textsFor(catalogues, locale);
  return fill(pluralForm(language, meeting.minutesLeft, minutes), { minutes });
}
