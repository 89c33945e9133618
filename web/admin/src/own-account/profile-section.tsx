import { formFieldsOf } from '../../../kit/form/form-fields.ts';
import { EditForm } from '../../../kit/form/edit-form.tsx';
import { bodyOf } from '../resource/actions/use-creation.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { nouns } from '../nouns/nouns.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useCaller } from '../session/caller.tsx';
import { Section } from './section.tsx';
import type { RoleRow } from '../nouns/rows.ts';

const fieldNames = ['first_name', 'last_name', 'locale', 'timezone'];
const fields = formFieldsOf(bodyOf('updateCallingAdmin')).filter(({ name }) => fieldNames.includes(name));
const groups = [{ title: '', fields: fieldNames }];
const hints = { locale: 'For emails and messages to you.', timezone: 'Where you are.' };

/** User name and email identify the administrator and cannot be changed. */
export function ProfileSection() {
  const caller = useCaller();
  const roles = ((caller.roles as { data?: readonly RoleRow[] } | undefined)?.data ?? [])
    .map((role) => nouns.roles.titleOf(role))
    .join(', ');
  return (
    <Section
      title="Profile"
      summary={
        <>
          You sign in as <b>{caller.username}</b> or with <b>{caller.email}</b>. You cannot change either.
          {roles !== '' && <> Your roles: {roles}.</>}
        </>
      }
    >
      <EditForm
        target={{ read: 'readCallingAdmin', fields: fieldNames }}
        fields={fields}
        groups={groups}
        hints={hints}
        isCreation={false}
        submitLabel="Save profile"
        cancelLabel="Undo changes"
        isDisabledUntilChanged
        onSave={async (_values, { changed, ifMatch }) => {
          await client.updateCallingAdmin({ body: changed, ifMatch });
          await refreshEverything();
          showDone('Your profile has been saved.');
        }}
      />
    </Section>
  );
}
