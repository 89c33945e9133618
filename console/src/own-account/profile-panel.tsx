import { formFieldsOf } from '../fields/form-fields.ts';
import { changeBody, type FormValues, initialValues } from '../fields/form-values.ts';
import { ResourceForm } from '../form/resource-form.tsx';
import { bodyOf } from '../form/use-creation.tsx';
import { Panel } from '../layout/page-header.tsx';
import { showDone } from '../layout/toasts.ts';
import { client, refreshEverything } from '../platform.ts';
import { useCaller } from '../session/caller.tsx';
import { useState } from 'react';

const members = ['first_name', 'last_name', 'locale', 'timezone'];
const hints = { locale: 'A language tag such as en or de-AT.' };

/** The user name and the email are fixed: they say who somebody is. */
export function ProfilePanel() {
  const caller = useCaller();
  const [round, setRound] = useState(0);
  const fields = formFieldsOf(bodyOf('updateCallingAdmin')).filter(({ name }) => members.includes(name));

  async function submit(values: FormValues): Promise<void> {
    const body = changeBody(fields, initialValues(fields, caller), values);
    if (Object.keys(body).length === 0) return;
    await client.updateCallingAdmin({ body });
    await refreshEverything();
    showDone('Your profile has been saved.');
  }

  return (
    <Panel title="Profile" flush>
      <ResourceForm
        key={round}
        fields={fields}
        groups={[]}
        hints={hints}
        stored={caller}
        isCreation={false}
        submitLabel="Save profile"
        cancelLabel="Undo changes"
        onSubmit={submit}
        onCancel={() => setRound(round + 1)}
      />
    </Panel>
  );
}
