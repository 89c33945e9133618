import type { Dependencies } from '../../dependencies.ts';
import type { Change } from '../../events/change.ts';
import type { Settings } from '../../platform/settings.ts';
import { textsFor } from '../../platform/text/catalogues.ts';
import { epochMs } from '../../platform/time/instant.ts';
import { type Appearance, appearanceOf } from '../customers/index.ts';
import { type MailBrand, prepareMail, queueMail } from '../mail/index.ts';
import type { ComposedNotification } from './recipients.ts';
import type { NotificationRow } from './store.ts';
import { unsubscribeUrl } from './unsubscribe/unsubscribe-link.ts';

/** Older notifications are not sent, for example after a long outage of the worker. */
const validHours = 48;

/** When the notification is no longer mailed, in milliseconds since 1970. */
export function expiryMs({ created_at: createdAt }: Pick<NotificationRow, 'created_at'>): number {
  return epochMs(createdAt) + validHours * 3_600_000;
}

/** Queues the mail with the customer's branding and a link to unsubscribe. */
export async function queueNotification(
  dependencies: Dependencies,
  change: Change,
  row: NotificationRow,
  { recipient, contents }: ComposedNotification,
): Promise<void> {
  const { catalogues, settings } = dependencies;
  const { kind, customer_id: customerId } = row;
  const texts = textsFor(catalogues, recipient.locale, settings().system_locale);
  const appearance = customerId === null ? null : await appearanceOf(change.tx, customerId);
  const unsubscribe = { label: texts.notifications.unsubscribe, url: unsubscribeUrl(dependencies, kind, recipient) };
  const draft = await prepareMail(dependencies, {
    kind,
    recipient: recipient.email,
    locale: texts.language,
    contents: { ...contents, unsubscribe },
    brand: brandOf(settings(), appearance),
    expiresAt: new Date(expiryMs(row)).toISOString(),
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
