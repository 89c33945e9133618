import type { NotificationKind } from '@foyer/contract/resources/platform/notification.ts';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { NotificationForm } from '../notifications/notification-form.tsx';
import { settingsWith, switchesIn } from '../notifications/switches.ts';
import { Section } from './section.tsx';

/** The caller’s switches for the notifications that administrators receive. */
export function NotificationsSection() {
  const may = useMay();
  const kinds: readonly NotificationKind[] = [
    ...(may('listServiceProviders') ? (['provider_down', 'provider_up'] as const) : []),
    ...(may('listWebhooks') ? (['webhook_disabled'] as const) : []),
    'new_device',
  ];
  return (
    <Section title="Notifications" summary="The mails that you receive.">
      <NotificationForm
        kinds={kinds}
        target={{ read: 'readCallingAdmin', fields: ['admin_settings'] }}
        switchesOf={(row) => switchesIn(row['admin_settings'], kinds)}
        onSave={async (changed, row, ifMatch) => {
          const body = { admin_settings: settingsWith(row['admin_settings'], changed) };
          await client.updateCallingAdmin({ body, ifMatch });
          await refreshEverything();
          showDone('Your notifications have been saved.');
        }}
      />
    </Section>
  );
}
