import { client, refreshEverything } from '../../../kit/api/client.ts';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { type Edit, EditDrawer } from '../../../kit/form/edit-form.tsx';
import type { FormValues } from '../../../kit/form/form-values.ts';
import type { OutputRow } from '../nouns/rows.ts';
import { outputForm, shownValues } from './output-form.ts';

export function EditOutput({ output, onClose }: { readonly output: OutputRow; readonly onClose: () => void }) {
  const params = { room_id: output.room_id, output_id: output.id };
  const form = outputForm(output.platform, true);

  async function save(_values: FormValues, { changed: body, ifMatch }: Edit): Promise<void> {
    if (Object.keys(body).length > 0) {
      await client.updateOutput({ params, body, ifMatch });
      await refreshEverything();
      showDone('Saved.');
    }
    onClose();
  }

  return (
    <EditDrawer
      title={`Edit ${output.name}`}
      isOpen
      onClose={onClose}
      target={{ read: 'readOutput', params, fields: form.fields.map(({ name }) => name) }}
      valuesOf={shownValues}
      {...form}
      isCreation={false}
      submitLabel="Save"
      onSave={save}
    />
  );
}
