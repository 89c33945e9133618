import type { unmailedReasons } from '@foyer/contract/resources/rooms/room-invitation.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { type Change, inTransaction } from '../../../events/change.ts';
import { invalidInput } from '../../../platform/failures.ts';
import type { CallOf } from '../../../platform/http/input/call.ts';
import { newUuid, type Uuid } from '../../../platform/identity/identifier.ts';
import { epochMs, lastInstantMs } from '../../../platform/time/instant.ts';
import { createInvitedTokens, lockRoomForInvitations, type PrintedTokenRow } from '../../rooms/index.ts';
import { addNotifications } from '../store.ts';
import { addressHash } from '../unsubscribe/unsubscribe-link.ts';
import { findInvitee, lockInvitations, type RoomInvitationRow, storeInvitations } from './store.ts';

type UnmailedReason = (typeof unmailedReasons)[number];

export interface InvitedToken {
  readonly token: PrintedTokenRow;
  readonly email: string;
  /** Null if the invitation is mailed. */
  readonly unmailedReason: UnmailedReason | null;
}

/**
 * Creates a token for each address, or reuses the token of its earlier invitation, and queues the mail with its link.
 * @throws 404; 422 naming every invalid member; 403 `privilege-escalation`
 */
export async function inviteToRoom(
  dependencies: Dependencies,
  { actor, params: { room_id: roomId }, body: input }: CallOf<'inviteToRoom'>,
): Promise<InvitedToken[]> {
  const emails = withoutDuplicates(input.to);
  const startsAt = input.starts_at ?? null;
  if (emails.length === 0) throw invalidInput({ to: ['The to field must have at least one address.'] });
  if (startsAt !== null && epochMs(startsAt) <= dependencies.clock.nowMs())
    throw invalidInput({ starts_at: ['The starts at field must be in the future.'] });
  const minutes = input.duration_minutes ?? 60;
  if (startsAt !== null && epochMs(startsAt) + minutes * 60_000 > lastInstantMs)
    throw invalidInput({ starts_at: ['The end must be before the year 10000.'] });
  return await inTransaction(dependencies, actor, async (change) => {
    const { tx, now } = change;
    const room = await lockRoomForInvitations(tx, roomId);
    const earlierInvitations = await lockInvitations(tx, roomId, emails);
    const tokens = await createInvitedTokens(dependencies, change, room, {
      role: input.role,
      invitees: emails.map((email) => ({
        email,
        tokenId: earlierInvitations.get(email.toLowerCase())?.room_token_id ?? null,
      })),
    });
    const stored = await storeInvitations(
      tx,
      emails.map((email, index) => {
        const before = earlierInvitations.get(email.toLowerCase());
        return {
          id: before?.id ?? newUuid(),
          room_id: roomId,
          room_token_id: tokens[index]?.id ?? '',
          customer_id: room.customer_id,
          email,
          room_name: room.room_name,
          invited_by: room.customer_name,
          message: input.message ?? null,
          starts_at: startsAt,
          duration_minutes: minutes,
          // Higher than the sequence of the entry that calendars already have, and of its cancellation.
          sequence: before && (before.in_calendar || before.sequence > 0) ? before.sequence + 1 : 0,
          in_calendar: startsAt !== null,
          created_at: before?.created_at ?? now,
          updated_at: now,
        };
      }),
    );
    await addNotifications(
      change,
      stored.map((row) => notificationOf(row, earlierInvitations.get(row.email.toLowerCase()))),
    );
    const reasons = await Promise.all(
      emails.map((email) => findUnmailedReason(dependencies, change, room.customer_id, email)),
    );
    return tokens.map((token, index) => ({
      token,
      email: emails[index] ?? '',
      unmailedReason: reasons[index] ?? null,
    }));
  });
}

/** Of addresses that differ only in case, the first one is kept. */
function withoutDuplicates(emails: readonly string[]): string[] {
  const byAddress = new Map<string, string>();
  for (const email of emails) if (!byAddress.has(email.toLowerCase())) byAddress.set(email.toLowerCase(), email);
  return [...byAddress.values()];
}

function notificationOf(row: RoomInvitationRow, before: RoomInvitationRow | undefined) {
  return {
    cause: `room_invitation:${row.id}:${row.updated_at}`,
    kind: 'room_invitation' as const,
    customerId: row.customer_id,
    details: {
      invitation: JSON.stringify(row),
      isUpdate: before?.in_calendar === true && row.in_calendar,
      cancelsCalendar: before?.in_calendar === true && !row.in_calendar,
      formerStart: before?.starts_at ?? null,
    },
  };
}

async function findUnmailedReason(
  dependencies: Dependencies,
  { tx }: Change,
  customerId: Uuid,
  email: string,
): Promise<UnmailedReason | null> {
  const settings = dependencies.settings();
  if (!settings.notifications.room_invitation) return 'switched-off';
  const hash = addressHash(dependencies, email);
  const invitee = await findInvitee(tx, { customer_id: customerId, email }, hash, settings);
  if (invitee.has_opted_out) return 'recipient-opted-out';
  return dependencies.mailer ? null : 'no-mail-server';
}
