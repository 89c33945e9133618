import { type ReactNode, useState } from 'react';
import { changeBody, type FormValues, initialValues } from '../fields/form-values.ts';
import { formFieldsOf } from '../fields/form-fields.ts';
import { showDone } from '../layout/toasts.ts';
import type { Noun, Row } from '../nouns/noun.ts';
import { callEndpoint, refreshEverything } from '../platform.ts';
import { useMay } from '../session/caller.tsx';
import { FormDrawer } from './form-drawer.tsx';
import { RefusalHelp } from './refusal-help.tsx';
import { bodyOf, hiddenMembers } from './use-creation.tsx';

interface Change {
  readonly isAllowed: boolean;
  readonly open: () => void;
  readonly drawer: ReactNode;
}

/** The form that changes a resource; only what was changed is sent. */
export function useChange(noun: Noun, row: Row): Change {
  const [isOpen, setOpen] = useState(false);
  const may = useMay();
  const { update } = noun;
  if (update === undefined || !may(update)) return { isAllowed: false, open: () => {}, drawer: null };

  const hidden = new Set([...hiddenMembers(noun, may), ...(noun.hiddenInChange ?? [])]);
  const fields = formFieldsOf(bodyOf(update), noun.inputs).filter(({ name }) => !hidden.has(name));

  async function submit(values: FormValues): Promise<void> {
    if (update === undefined) return;
    const body = changeBody(fields, initialValues(fields, row), values);
    if (Object.keys(body).length > 0) {
      await callEndpoint(update, { params: { [noun.param]: row.id }, body });
      await refreshEverything();
      showDone('Saved.');
    }
    setOpen(false);
  }

  return {
    isAllowed: true,
    open: () => setOpen(true),
    drawer: (
      <FormDrawer
        title={`Edit ${noun.titleOf(row)}`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        fields={fields}
        groups={noun.groups}
        hints={noun.hints ?? {}}
        rules={noun.rules}
        help={(failure) => <RefusalHelp noun={noun} row={row} failure={failure} />}
        stored={row}
        isCreation={false}
        submitLabel="Save"
        onSubmit={submit}
      />
    ),
  };
}
