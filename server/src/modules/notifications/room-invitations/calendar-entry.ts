import ical, { ICalAttendeeStatus, ICalCalendarMethod, ICalEventStatus } from 'ical-generator';
import { type CalendarFile, type MailAddress, oneLine } from '../../../platform/mailer.ts';
import { epochMs } from '../../../platform/time/instant.ts';
import type { RoomInvitationRow } from './store.ts';

type Entry = Pick<
  RoomInvitationRow,
  'id' | 'email' | 'room_name' | 'message' | 'starts_at' | 'duration_minutes' | 'sequence'
>;

/**
 * Creates the calendar entry of an invitation (RFC 5545). All its versions have the same UID, and the one with the
 * highest sequence replaces the others.
 * @param url null to cancel the entry
 * @returns null for an invitation without a time
 */
export function createCalendarEntry(
  entry: Entry,
  organizer: MailAddress,
  nowMs: number,
  url: string | null,
): CalendarFile | null {
  if (entry.starts_at === null) return null;
  const method = url === null ? ICalCalendarMethod.CANCEL : ICalCalendarMethod.REQUEST;
  const startMs = epochMs(entry.starts_at);
  const calendar = ical({ method, prodId: { company: 'Foyer', product: 'Foyer' } });
  calendar.createEvent({
    id: entry.id,
    sequence: entry.sequence,
    stamp: new Date(nowMs),
    start: new Date(startMs),
    end: new Date(startMs + entry.duration_minutes * 60_000),
    summary: oneLine(entry.room_name),
    description: [withoutControls(entry.message ?? ''), url ?? ''].filter((part) => part !== '').join('\n\n') || null,
    ...(url === null ? {} : { location: url, url }),
    status: url === null ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
    // A quote would end the name: RFC 5545 cannot escape it in a parameter.
    organizer: { name: oneLine(organizer.name).replaceAll('"', "'"), email: organizer.address },
    attendees: [{ email: entry.email, rsvp: false, status: ICalAttendeeStatus.NEEDSACTION }],
  });
  // The library leaves out the line break after the last line, which RFC 5545 requires.
  return { method, content: `${calendar.toString()}\r\n` };
}

/** RFC 5545 allows no control characters in a text; line breaks are escaped. */
function withoutControls(text: string): string {
  return text.replaceAll(/(?![\t\n\r])\p{Cc}/gu, '');
}
