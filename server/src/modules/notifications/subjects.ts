import type { NotificationKind } from '@foyer/contract/resources/platform/notification.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Tx } from '../../events/change.ts';
import { parseAnyIdentifier, printIdentifier, type Uuid } from '../../platform/identity/identifier.ts';
import { roomUrl } from '../rooms/index.ts';
import type { NotificationDetails, NotificationRow } from './store.ts';

/** Adds the current names of the resources that the details refer to. */
export async function addNames(
  tx: Tx,
  { details, customer_id: customerId }: NotificationRow,
): Promise<NotificationDetails> {
  const idOf = (name: string) => parseAnyIdentifier(String(details[name] ?? ''))?.uuid ?? null;
  const [packageId, roomId] = [idOf('packageId'), idOf('roomId')];
  const customer = customerId
    ? await tx
        .selectFrom('customers')
        .select(({ fn }) => fn.coalesce('company_name', 'full_name').as('name'))
        .where('id', '=', customerId)
        .executeTakeFirst()
    : undefined;
  const servicePackage = packageId
    ? await tx.selectFrom('service_packages').select('name').where('id', '=', packageId).executeTakeFirst()
    : undefined;
  const room = roomId
    ? await tx.selectFrom('rooms').select('room_name').where('id', '=', roomId).executeTakeFirst()
    : undefined;
  return {
    ...details,
    customer: customer?.name ?? '',
    package: servicePackage?.name ?? '',
    room: room?.room_name ?? '',
  };
}

/** Whether the button of the mail opens the room. */
export function isAboutRoom(kind: NotificationKind): boolean {
  return kind === 'recording_ready' || kind === 'video_ready';
}

/** The link of the mail's button; null if there is no page for the recipient. */
export async function findActionUrl(
  { publicUrl }: Dependencies,
  tx: Tx,
  { kind, details }: NotificationRow,
): Promise<string | null> {
  if (kind === 'provider_down' || kind === 'provider_up') {
    const id: Uuid | null = parseAnyIdentifier(String(details['id'] ?? ''))?.uuid ?? null;
    return id === null ? null : `${publicUrl()}/console/service-providers/${printIdentifier('prov', id)}`;
  }
  if (!isAboutRoom(kind)) return null;
  const roomId = parseAnyIdentifier(String(details['roomId'] ?? ''))?.uuid ?? null;
  if (roomId === null) return null;
  const room = await tx.selectFrom('rooms').select(['id', 'slug']).where('id', '=', roomId).executeTakeFirst();
  return room ? roomUrl(publicUrl(), room) : null;
}
