import { notificationChanges, type NotificationKind } from '@foyer/contract/resources/platform/notification.ts';
import { EditForm } from '../../../kit/form/edit-form.tsx';
import { formFieldsOf } from '../../../kit/form/form-fields.ts';
import type { FormValues } from '../../../kit/form/form-values.ts';
import { wordOf } from '../../../kit/format/label.ts';
import type { WriteTarget } from '../../../kit/concurrency/write-if-unchanged.ts';
import type { Switches } from './switches.ts';

interface Props {
  readonly kinds: readonly NotificationKind[];
  readonly target: WriteTarget;
  /** The switches of the resource. */
  readonly switchesOf: (row: FormValues) => Switches;
  readonly onSave: (changed: Switches, row: FormValues, ifMatch: string) => Promise<void>;
}

/** One switch for each notification. */
export function NotificationForm({ kinds, target, switchesOf, onSave }: Props) {
  return (
    <EditForm
      target={target}
      fields={fields.filter(({ name }) => kinds.some((kind) => kind === name))}
      groups={groups}
      hints={{}}
      valuesOf={switchesOf}
      errorsBelow="notifications"
      isCreation={false}
      submitLabel="Save notifications"
      cancelLabel="Undo changes"
      isDisabledUntilChanged
      onSave={(_values, { row, changed, ifMatch }) => onSave(changed, row, ifMatch)}
    />
  );
}

const fields = formFieldsOf(notificationChanges).map((field) => ({ ...field, label: wordOf(field.name) }));

const groups: readonly { readonly title: string; readonly fields: readonly NotificationKind[] }[] = [
  {
    title: 'Subscriptions',
    fields: [
      'subscription_expiring',
      'subscription_renewed',
      'subscription_suspended',
      'package_changed',
      'limit_near',
      'limit_reached',
    ],
  },
  { title: 'Rooms', fields: ['room_invitation', 'recording_ready', 'video_ready'] },
  { title: 'Operations', fields: ['provider_down', 'provider_up', 'webhook_disabled'] },
  { title: 'Signing in', fields: ['new_device'] },
];
