import type { Dependencies } from '../../../dependencies.ts';
import { type Catalogues, fill, pluralForm, textsFor } from '../../../platform/text/catalogues.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { meetingProvider } from '../../service-providers/index.ts';
import { type LimitedMeeting, limitedMeetings, noteWarning } from './minute-store.ts';
import { findProvider } from '../store.ts';

/** From so many minutes before they are used up on it is said in the meeting. */
const warnAtMinutes = 5;
/** How many meetings of all providers are told at the same time. */
const warningsAtOnce = 8;

/**
 * Says in each meeting whose minutes will soon be used up that it will end then, once, where the provider can.
 * @returns how many were told
 */
export async function warnOfMinutes(dependencies: Dependencies): Promise<number> {
  const { db, clock, settings } = dependencies;
  const meetings = await limitedMeetings(db, clock.today(settings().system_timezone));
  const due = meetings.filter(
    (meeting) => !meeting.is_warned && meeting.present > 0 && meeting.left > 0 && minutesLeft(meeting) <= warnAtMinutes,
  );
  let told = 0;
  for (let index = 0; index < due.length; index += warningsAtOnce) {
    const some = await Promise.all(
      due.slice(index, index + warningsAtOnce).map((meeting) => warn(dependencies, meeting)),
    );
    told += some.filter(Boolean).length;
  }
  return told;
}

/** How long the minutes last, with as many in as are in now in all the meetings that share them. */
function minutesLeft({ left, present }: LimitedMeeting): number {
  return Math.floor(left / Math.max(1, present));
}

async function warn(dependencies: Dependencies, meeting: LimitedMeeting): Promise<boolean> {
  const { catalogues, db, logger, settings, clock } = dependencies;
  try {
    const provider = await findProvider(db, meeting.service_provider_id);
    const adapter = provider && (await meetingProvider(dependencies, provider));
    if (!adapter?.capabilities.sendChatMessage || !adapter.say) return false;
    // Noted first: rather not told at all than told by two processes, or every minute by a server that cannot.
    if (!(await noteWarning(db, meeting.id, clock.now()))) return false;
    await adapter.say(
      meeting.provider_meeting_id,
      minuteWarning(catalogues, meeting.locale ?? settings().system_locale, Math.max(1, minutesLeft(meeting))),
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

/** What a meeting's participants are told before its minutes are used up. */
export function minuteWarning(catalogues: Catalogues, locale: string, minutes: number): string {
  const { language, meeting } = textsFor(catalogues, locale);
  return fill(pluralForm(language, meeting.minutesLeft, minutes), { minutes });
}
