import type { Selectable } from 'kysely';
import type { Events } from '../../../database/tables.ts';
import type { Change } from '../../../events/change.ts';
import { epochMs } from '../../../platform/time/instant.ts';
import { addNotifications } from '../store.ts';
import { removeInvitations, type RoomInvitationRow } from './store.ts';

/** Cancels the upcoming calendar entries of deleted tokens and rooms. */
export async function cancelInvitations(change: Change, events: readonly Selectable<Events>[]): Promise<void> {
  const idsOf = (eventName: string) =>
    events.filter(({ name }) => name === eventName).map((event) => event.resource_id);
  const [tokenIds, roomIds] = [idsOf('room_token.deleted'), idsOf('room.deleted')];
  if (tokenIds.length + roomIds.length === 0) return;
  const removed = await removeInvitations(change.tx, { tokenIds, roomIds });
  const upcoming = removed.filter((invitation) => invitation.in_calendar && endMsOf(invitation) > epochMs(change.now));
  await addNotifications(
    change,
    upcoming.map((invitation) => ({
      cause: `room_invitation:${invitation.id}:canceled`,
      kind: 'room_invitation',
      customerId: invitation.customer_id,
      details: {
        canceled: true,
        invitation: JSON.stringify({ ...invitation, sequence: invitation.sequence + 1 }),
      },
    })),
  );
}

function endMsOf({ starts_at: startsAt, duration_minutes: minutes }: RoomInvitationRow): number {
  return startsAt === null ? 0 : epochMs(startsAt) + minutes * 60_000;
}
