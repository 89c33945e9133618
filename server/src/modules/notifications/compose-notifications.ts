import type { Dependencies } from '../../dependencies.ts';
import { type Change, inSavepoint, inTransaction, system } from '../../events/change.ts';
import { textsFor } from '../../platform/text/catalogues.ts';
import { contentsOf } from './contents.ts';
import { expiryMs, queueNotification } from './mail-of-notification.ts';
import { receiversOf } from './receivers.ts';
import { composeInvitation } from './room-invitations/compose-invitation.ts';
import { lockOpenNotifications, markHandled, type NotificationRow } from './store.ts';
import { urlOf, withNames } from './subjects.ts';
import { idsOf } from '../../platform/identity/identifier.ts';

const batch = 20;

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
  const receivers = await receiversOf(change.tx, row);
  if (receivers.length === 0) return 0;
  const values = await withNames(change.tx, row);
  const url = await urlOf(dependencies, change.tx, row);
  for (const receiver of receivers) {
    const texts = textsFor(dependencies.catalogues, receiver.locale, settings().system_locale);
    const platform = settings().platform_name;
    const details = { ...values, platform, email: receiver.email };
    const contents = contentsOf(row.kind, details, { texts, timezone: receiver.timezone }, url);
    await queueNotification(dependencies, change, row, { receiver, contents });
  }
  return receivers.length;
}
