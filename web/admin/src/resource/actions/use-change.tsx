import { type ReactNode, useState } from 'react';
import { formFieldsOf } from '../../../../kit/form/form-fields.ts';
import type { FormValues } from '../../../../kit/form/form-values.ts';
import { showDone } from '../../../../kit/display/notices/toasts.ts';
import type { Noun, Row } from '../../../../kit/noun/noun.ts';
import { callEndpoint, refreshEverything } from '../../../../kit/api/client.ts';
import { useMay } from '../../../../kit/noun/app.tsx';
import { type Edit, EditDrawer } from '../../../../kit/form/edit-form.tsx';
import { inputsOf } from '../inputs.ts';
import { RefusalHelp } from './refusal-help.tsx';
import { bodyOf, hiddenMembers } from './use-creation.tsx';

interface Change {
  readonly isAllowed: boolean;
  readonly open: () => void;
  readonly drawer: ReactNode;
}

/** The edit form of a resource. Only changes are sent. */
export function useChange(noun: Noun, row: Row): Change {
  const [isOpen, setOpen] = useState(false);
  const may = useMay();
  const { update } = noun;
  if (update === undefined || !may(update)) return { isAllowed: false, open: () => {}, drawer: null };

  const hidden = new Set([...hiddenMembers(noun, may), ...(noun.hiddenInChange ?? [])]);
  const fields = formFieldsOf(bodyOf(update), inputsOf(noun)).filter(({ name }) => !hidden.has(name));
  const params = { [noun.param]: row.id };

  async function save(_values: FormValues, { changed: body, ifMatch }: Edit): Promise<void> {
    if (update === undefined) return;
    if (Object.keys(body).length > 0) {
      await callEndpoint(update, { params, body, ifMatch });
      await refreshEverything();
      showDone('Saved.');
    }
    setOpen(false);
  }

  return {
    isAllowed: true,
    open: () => setOpen(true),
    drawer: (
      <EditDrawer
        title={`Edit ${noun.titleOf(row)}`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        target={{ read: noun.read, params, fields: fields.map(({ name }) => name) }}
        fields={fields}
        groups={noun.groups}
        hints={noun.hints ?? {}}
        rules={noun.rules}
        help={(failure) => <RefusalHelp noun={noun} row={row} failure={failure} />}
        isCreation={false}
        submitLabel="Save"
        onSave={save}
      />
    ),
  };
}
