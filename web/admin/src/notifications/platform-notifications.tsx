import { notificationKinds } from '@foyer/contract/resources/platform/notification.ts';
import { useQuery } from '@tanstack/react-query';
import { FactList } from '../../../kit/display/facts.tsx';
import { FailureNotice, LoadingNotice } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { wordOf } from '../../../kit/format/label.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { NotificationForm } from './notification-form.tsx';
import type { Switches } from './switches.ts';

/** Which notifications the platform mails. */
export function PlatformNotifications() {
  const may = useMay();
  if (!may('updateSettings')) return <ReadOnlySwitches />;
  return (
    <div className="panel" style={{ overflow: 'clip' }}>
      <NotificationForm
        kinds={notificationKinds}
        target={{ read: 'readSettings', fields: ['notifications'] }}
        switchesOf={(row) => row['notifications'] as Switches}
        onSave={async (notifications, _row, ifMatch) => {
          await client.updateSettings({ body: { notifications }, ifMatch });
          showDone('The notifications have been saved.');
          await refreshEverything();
        }}
      />
    </div>
  );
}

function ReadOnlySwitches() {
  const settings = useQuery({
    queryKey: ['readSettings'],
    queryFn: ({ signal }) => client.readSettings({ signal }),
  });
  if (settings.error) return <FailureNotice error={settings.error} onRetry={() => void settings.refetch()} />;
  if (!settings.data) return <LoadingNotice />;
  const { notifications } = settings.data.data;
  return (
    <Panel title="Notifications">
      <FactList facts={notificationKinds.map((kind) => [wordOf(kind), notifications[kind] ? 'Yes' : 'No'])} />
    </Panel>
  );
}
