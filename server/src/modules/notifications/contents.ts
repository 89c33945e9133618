import type { NotificationKind } from '@foyer/contract/resources/platform/notification.ts';
import type { MailContents } from '../mail/index.ts';
import { fill, type Texts } from '../../platform/text/catalogues.ts';
import { epochMs } from '../../platform/time/instant.ts';
import type { NotificationDetails } from './store.ts';
import { isAboutRoom } from './subjects.ts';

/** The texts in the recipient's language, and the time zone in which times are printed. */
export interface Wording {
  readonly texts: Texts;
  readonly timezone: string;
}

/** The names of the details that are printed as days, and of those that are printed as instants. */
const days: ReadonlySet<string> = new Set(['endsAt']);
const instants: ReadonlySet<string> = new Set(['since', 'startedAt', 'at']);

/** Fills in the texts of a mail. Room invitations have their own texts. */
export function contentsOf(
  kind: Exclude<NotificationKind, 'room_invitation'>,
  details: NotificationDetails,
  wording: Wording,
  url: string | null,
): MailContents {
  const { texts } = wording;
  const mailTexts: { subject: string; heading: string; text: string; advice: string } = texts.notifications.mails[kind];
  const values = Object.fromEntries(
    Object.entries(details).map(([name, value]) => [name, printValue(name, value, wording)]),
  );
  return {
    subject: fill(mailTexts.subject, values),
    heading: fill(mailTexts.heading, values),
    paragraphs: [fill(mailTexts.text, values), fill(mailTexts.advice, values)],
    action: url === null ? null : { label: labelOf(kind, texts), url },
    notes: [],
  };
}

function labelOf(kind: NotificationKind, { notifications }: Texts): string {
  return isAboutRoom(kind) ? notifications.toRoom : notifications.toConsole;
}

function printValue(name: string, value: NotificationDetails[string], { texts, timezone }: Wording): string {
  if (value === null) return '–';
  if (typeof value === 'number') return new Intl.NumberFormat(texts.language).format(value);
  if (days.has(name)) return printDay(String(value), texts.language);
  if (instants.has(name)) return printTime(String(value), texts.language, timezone);
  return String(value);
}

function printDay(day: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(epochMs(day));
}

/** Prints the instant with the name of the time zone. */
export function printTime(instant: string, language: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  });
  return format.format(epochMs(instant));
}
