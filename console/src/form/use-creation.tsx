import { endpoints } from '@foyer/contract';
import type { TObject } from 'typebox';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { creationBody, type FormValues } from '../fields/form-values.ts';
import { formFieldsOf } from '../fields/form-fields.ts';
import { showDone } from '../layout/toasts.ts';
import type { Noun, Row } from '../nouns/noun.ts';
import { callEndpoint, refreshEverything } from '../platform.ts';
import { useMay } from '../session/caller.tsx';
import { FormDrawer } from './form-drawer.tsx';

interface Creation {
  readonly isAllowed: boolean;
  readonly open: () => void;
  readonly drawer: ReactNode;
}

/** The form for a new resource; `given` is what the page has already decided, such as the account of a room. */
export function useCreation(noun: Noun, given: FormValues = {}): Creation {
  const [isOpen, setOpen] = useState(false);
  const may = useMay();
  const navigate = useNavigate();
  const { create } = noun;
  if (create === undefined || !may(create)) return { isAllowed: false, open: () => {}, drawer: null };

  const hidden = new Set([...(noun.hidden ?? []), ...Object.keys(given)]);
  const fields = formFieldsOf(bodyOf(create), noun.inputs).filter(({ name }) => !hidden.has(name));

  async function submit(values: FormValues): Promise<void> {
    if (create === undefined) return;
    const body = { ...creationBody(fields, values), ...given };
    const { data } = (await callEndpoint(create, { body })) as { data: Row };
    await refreshEverything();
    setOpen(false);
    showDone(`${noun.titleOf(data)} has been created.`);
    await navigate({ to: '/$noun/$id', params: { noun: noun.path, id: data.id } });
  }

  return {
    isAllowed: true,
    open: () => setOpen(true),
    drawer: (
      <FormDrawer
        title={`New ${noun.singular}`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        fields={fields}
        groups={noun.groups}
        hints={{ ...noun.hints, ...noun.creationHints }}
        stored={noun.defaults ?? {}}
        isCreation
        submitLabel={`Create ${noun.singular}`}
        onSubmit={submit}
      />
    ),
  };
}

export function bodyOf(name: keyof typeof endpoints): TObject {
  const endpoint = endpoints[name];
  if (!('body' in endpoint)) throw new Error(`${name} has no body`);
  return endpoint.body;
}
