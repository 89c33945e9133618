import type { Dependencies } from '../../dependencies.ts';
import { type Change, inSavepoint, inTransaction, system } from '../../events/change.ts';
import type { Settings } from '../../platform/settings.ts';
import { textsFor } from '../../platform/text/catalogues.ts';
import { epochMs } from '../../platform/time/instant.ts';
import { parseAnyIdentifier, printIdentifier, type Uuid } from '../../platform/identity/identifier.ts';
import { type Appearance, appearanceOf } from '../customers/index.ts';
import { type MailBrand, prepareMail, queueMail } from '../mail/index.ts';
import { roomUrl } from '../rooms/index.ts';
import { contentsOf } from './contents.ts';
import { type ComposedNotification, receiversOf } from './receivers.ts';
import { composeInvitation } from './room-invitations/compose-invitation.ts';
import { lockOpenNotifications, markHandled, type NotificationRow } from './store.ts';
import { unsubscribeUrl } from './unsubscribe/unsubscribe-link.ts';

const batch = 20;
/** After that, a notification is no longer news, as after a long outage of the worker. */
const validHours = 48;

/** Queues the mails of stored notifications. @returns the number of mails */
export async function composeNotifications(dependencies: Dependencies): Promise<number> {
  let total = 0;
  for (;;) {
    const { handled, mails } = await inTransaction(dependencies, system, (change) =>
      composeBatch(dependencies, change),
    );
    total += mails;
    if (handled < batch) return total;
  }
}

async function composeBatch(
  dependencies: Dependencies,
  change: Change,
): Promise<{ readonly handled: number; readonly mails: number }> {
  const rows = await lockOpenNotifications(change.tx, batch);
  let mails = 0;
  for (const row of rows) {
    try {
      mails += await inSavepoint(change, () => compose(dependencies, change, row));
    } catch (error) {
      // One that cannot be composed does not hold up the others.
      dependencies.logger.error({ err: error, notification: row.id, kind: row.kind }, 'notification failed');
    }
  }
  await markHandled(
    change.tx,
    rows.map(({ id }) => id),
    change.now,
  );
  return { handled: rows.length, mails };
}

async function compose(dependencies: Dependencies, change: Change, row: NotificationRow): Promise<number> {
  const { clock, settings } = dependencies;
  if (!settings().notifications[row.kind]) return 0;
  if (epochMs(row.created_at) + validHours * 3_600_000 <= clock.nowMs()) return 0;
  if (row.kind === 'room_invitation') {
    const invitation = await composeInvitation(dependencies, change.tx, row);
    if (invitation) await queue(dependencies, change, row, invitation);
    return invitation ? 1 : 0;
  }
  const receivers = await receiversOf(change.tx, row);
  if (receivers.length === 0) return 0;
  const values = await withNames(change, row);
  const url = await urlOf(dependencies, change, row);
  for (const receiver of receivers) {
    const texts = textsFor(dependencies.catalogues, receiver.locale, settings().system_locale);
    const platform = settings().platform_name;
    const details = { ...values, platform, email: receiver.email };
    const contents = contentsOf(row.kind, details, { texts, timezone: receiver.timezone }, url);
    await queue(dependencies, change, row, { receiver, contents });
  }
  return receivers.length;
}

async function queue(
  dependencies: Dependencies,
  change: Change,
  { kind, customer_id: customerId, created_at: createdAt }: NotificationRow,
  { receiver, contents }: ComposedNotification,
): Promise<void> {
  const { catalogues, settings } = dependencies;
  const texts = textsFor(catalogues, receiver.locale, settings().system_locale);
  const appearance = customerId === null ? null : await appearanceOf(change.tx, customerId);
  const unsubscribe = { label: texts.notifications.unsubscribe, url: unsubscribeUrl(dependencies, kind, receiver) };
  const draft = await prepareMail(dependencies, {
    kind,
    recipient: receiver.email,
    locale: texts.language,
    contents: { ...contents, unsubscribe },
    brand: brandOf(settings(), appearance),
    expiresAt: new Date(epochMs(createdAt) + validHours * 3_600_000).toISOString(),
  });
  await queueMail(change, draft);
}

function brandOf(settings: Settings, appearance: Appearance | null): MailBrand {
  if (!appearance) return settings;
  return {
    platform_name: appearance.brandName ?? settings.platform_name,
    // A customer with its own brand name must not show the platform's logo.
    logo_url: appearance.logoUrl ?? (appearance.brandName === null ? settings.logo_url : null),
    primary_color: appearance.primaryColor ?? settings.primary_color,
    support_url: appearance.supportUrl ?? settings.support_url,
  };
}

/** The details with the present names of what they refer to. */
async function withNames({ tx }: Change, { details, customer_id: customerId }: NotificationRow) {
  const idOf = (name: string) => parseAnyIdentifier(String(details[name] ?? ''))?.uuid ?? null;
  const [packageId, roomId] = [idOf('packageId'), idOf('roomId')];
  const customer = customerId
    ? await tx
        .selectFrom('customers')
        .select(({ fn }) => fn.coalesce('company_name', 'full_name').as('name'))
        .where('id', '=', customerId)
        .executeTakeFirst()
    : undefined;
  const sold = packageId
    ? await tx.selectFrom('service_packages').select('name').where('id', '=', packageId).executeTakeFirst()
    : undefined;
  const room = roomId
    ? await tx.selectFrom('rooms').select('room_name').where('id', '=', roomId).executeTakeFirst()
    : undefined;
  return {
    ...details,
    customer: customer?.name ?? '',
    package: sold?.name ?? '',
    room: room?.room_name ?? '',
  };
}

/** What the button of the mail opens; null without a page for the receiver. */
async function urlOf(
  { publicUrl }: Dependencies,
  { tx }: Change,
  { kind, details }: NotificationRow,
): Promise<string | null> {
  if (kind === 'provider_down' || kind === 'provider_up') {
    const id: Uuid | null = parseAnyIdentifier(String(details['id'] ?? ''))?.uuid ?? null;
    return id === null ? null : `${publicUrl()}/console/service-providers/${printIdentifier('prov', id)}`;
  }
  if (kind !== 'recording_ready') return null;
  const roomId = parseAnyIdentifier(String(details['roomId'] ?? ''))?.uuid ?? null;
  if (roomId === null) return null;
  const room = await tx.selectFrom('rooms').select(['id', 'slug']).where('id', '=', roomId).executeTakeFirst();
  return room ? roomUrl(publicUrl(), room) : null;
}
