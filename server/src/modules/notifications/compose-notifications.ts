import type { Dependencies } from '../../dependencies.ts';
import { type Change, inSavepoint, inTransaction, system } from '../../events/change.ts';
import { textsFor } from '../../platform/text/catalogues.ts';
import { contentsOf } from './contents.ts';
import { expiryMs, queueNotification } from './mail-of-notification.ts';
import { findRecipients } from './recipients.ts';
import { composeInvitation } from './room-invitations/compose-invitation.ts';
import { lockUnhandledNotifications, markHandled, type NotificationRow } from './store.ts';
import { findActionUrl, addNames } from './subjects.ts';
import { idsOf } from '../../platform/identity/identifier.ts';

const batchSize = 20;

/** Queues the mails of stored notifications. @returns the number of mails */
export async function composeNotifications(dependencies: Dependencies): Promise<number> {
  let total = 0;
  for (;;) {
    const { handled, mails } = await inTransaction(dependencies, system, (change) =>
      composeBatch(dependencies, change),
    );
    total += mails;
    if (handled < batchSize) return total;
  }
}

async function composeBatch(
  dependencies: Dependencies,
  change: Change,
): Promise<{ readonly handled: number; readonly mails: number }> {
  const rows = await lockUnhandledNotifications(change.tx, batchSize);
  let mails = 0;
  for (const row of rows) {
    try {
      mails += await inSavepoint(change, () => compose(dependencies, change, row));
    } catch (error) {
      // A notification that cannot be composed does not delay the others.
      dependencies.logger.error({ err: error, notification: row.id, kind: row.kind }, 'notification failed');
    }
  }
  await markHandled(change.tx, idsOf(rows), change.now);
  return { handled: rows.length, mails };
}

async function compose(dependencies: Dependencies, change: Change, row: NotificationRow): Promise<number> {
  const { clock, settings } = dependencies;
  if (!settings().notifications[row.kind]) return 0;
  if (expiryMs(row) <= clock.nowMs()) return 0;
  if (row.kind === 'room_invitation') {
    const invitation = await composeInvitation(dependencies, change.tx, row);
    if (invitation) await queueNotification(dependencies, change, row, invitation);
    return invitation ? 1 : 0;
  }
  const recipients = await findRecipients(change.tx, row);
  if (recipients.length === 0) return 0;
  const values = await addNames(change.tx, row);
  const url = await findActionUrl(dependencies, change.tx, row);
  for (const recipient of recipients) {
    const texts = textsFor(dependencies.catalogues, recipient.locale, settings().system_locale);
    const platform = settings().platform_name;
    const details = { ...values, platform, email: recipient.email };
    const contents = contentsOf(row.kind, details, { texts, timezone: recipient.timezone }, url);
    await queueNotification(dependencies, change, row, { recipient, contents });
  }
  return recipients.length;
}
