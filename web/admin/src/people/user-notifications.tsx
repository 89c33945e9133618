import { notificationKinds } from '@foyer/contract/resources/platform/notification.ts';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { NotificationForm } from '../notifications/notification-form.tsx';
import { settingsWith, switchesIn } from '../notifications/switches.ts';
import type { UserRow } from '../nouns/rows.ts';

/** Notifications about service providers only go to administrators. */
const kinds = notificationKinds.filter((kind) => !kind.startsWith('provider_'));

/** Which notifications a user gets. */
export function UserNotifications({ user }: { readonly user: UserRow }) {
  const params = { user_id: user.id };
  return (
    <div className="panel" style={{ overflow: 'clip', maxWidth: 760 }}>
      <NotificationForm
        kinds={kinds}
        target={{ read: 'readUser', params, fields: ['user_settings'] }}
        switchesOf={(row) => switchesIn(row['user_settings'], kinds)}
        onSave={async (changed, row, ifMatch) => {
          const body = { user_settings: settingsWith(row['user_settings'], changed) };
          await client.updateUser({ params, body, ifMatch });
          await refreshEverything();
          showDone('The notifications have been saved.');
        }}
      />
    </div>
  );
}
