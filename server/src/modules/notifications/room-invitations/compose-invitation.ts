import type { Dependencies } from '../../../dependencies.ts';
import type { Tx } from '../../../events/change.ts';
import { fill, textsFor } from '../../../platform/text/catalogues.ts';
import { type MailContents, senderOf } from '../../mail/index.ts';
import { tokenAssociatedData, tokenUrl } from '../../rooms/index.ts';
import { printTime, type Wording } from '../contents.ts';
import type { ComposedNotification } from '../recipients.ts';
import type { NotificationRow } from '../store.ts';
import { addressHash } from '../unsubscribe/unsubscribe-link.ts';
import { createCalendarEntry } from './calendar-entry.ts';
import { findLinkToken, findInvitee, type RoomInvitationRow } from './store.ts';

/** Null if the token was deleted in the meantime, or the recipient has opted out of invitations. */
export async function composeInvitation(
  dependencies: Dependencies,
  tx: Tx,
  { details, created_at: createdAt }: NotificationRow,
): Promise<ComposedNotification | null> {
  const isCanceled = details['canceled'] === true;
  // As it was when the notification was stored: a later invitation of the same address has a mail of its own.
  const invitation = JSON.parse(String(details['invitation'])) as RoomInvitationRow;
  const link = isCanceled ? null : await findRoomLink(dependencies, tx, invitation);
  if (link === null && !isCanceled) return null;
  const hash = addressHash(dependencies, invitation.email);
  const invitee = await findInvitee(tx, invitation, hash, dependencies.settings());
  if (invitee.has_opted_out) return null;
  const texts = textsFor(dependencies.catalogues, invitee.locale, dependencies.settings().system_locale);
  const wording = { texts, timezone: invitee.timezone };
  const sender = senderOf(dependencies);
  const organizer = { ...sender, name: invitation.invited_by ?? sender.name };
  const cancelsCalendar = details['cancelsCalendar'] === true;
  const entry = cancelsCalendar ? { ...invitation, starts_at: String(details['formerStart']) } : invitation;
  const calendar = createCalendarEntry(
    entry,
    organizer,
    Date.parse(createdAt),
    cancelsCalendar ? null : (link?.url ?? null),
  );
  return {
    recipient: {
      population: invitee.user_id === null ? null : 'users',
      id: invitee.user_id ?? hash.toString('base64url'),
      email: invitation.email,
      locale: invitee.locale,
      timezone: invitee.timezone,
    },
    contents: { ...invitationContents(invitation, wording, link, details['isUpdate'] === true), calendar },
  };
}

interface RoomLink {
  readonly url: string;
  /** Whether people watch a video or stream in the room, instead of joining a meeting. */
  readonly isToWatch: boolean;
}

async function findRoomLink(
  { secretBox, publicUrl }: Dependencies,
  tx: Tx,
  { room_token_id: tokenId }: RoomInvitationRow,
): Promise<RoomLink | null> {
  const row = await findLinkToken(tx, tokenId);
  if (!row) return null;
  const token = await secretBox.open(row.token_sealed, tokenAssociatedData(row.token_id));
  const url = tokenUrl(publicUrl(), { id: row.room_id, slug: row.slug }, token);
  return { url, isToWatch: row.room_type !== 'meet' };
}

function invitationContents(
  { room_name: room, invited_by: inviter, message, starts_at: startsAt, duration_minutes: minutes }: RoomInvitationRow,
  { texts, timezone }: Wording,
  link: RoomLink | null,
  isUpdate: boolean,
): MailContents {
  const words = texts.notifications.mails.room_invitation;
  const time = startsAt === null ? '' : printTime(startsAt, texts.language, timezone);
  const values = { room, inviter: inviter ?? room, time, minutes };
  if (link === null)
    return {
      subject: fill(words.canceledSubject, values),
      heading: fill(words.canceledHeading, values),
      paragraphs: [fill(words.canceled, values)],
      action: null,
      notes: [],
    };
  return {
    subject: fill(isUpdate ? words.updatedSubject : words.subject, values),
    heading: fill(words.heading, values),
    paragraphs: [
      fill(link.isToWatch ? words.watchText : words.text, values),
      ...(startsAt === null ? [] : [fill(words.when, values)]),
    ],
    message,
    action: { label: link.isToWatch ? words.watchAction : words.action, url: link.url },
    notes: [words.advice],
  };
}
