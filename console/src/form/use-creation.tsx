import { endpoints, type EndpointName } from '@foyer/contract';
import type { TObject } from 'typebox';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { creationBody, type FormValues } from '../fields/form-values.ts';
import { formFieldsOf } from '../fields/form-fields.ts';
import { showDone } from '../layout/toasts.ts';
import type { Noun, Row } from '../nouns/noun.ts';
import { callEndpoint, refreshEverything } from '../platform.ts';
import { useMay } from '../session/caller.tsx';
import { SecretDialog } from '../layout/secret-dialog.tsx';
import { FormDrawer } from './form-drawer.tsx';

interface Creation {
  readonly isAllowed: boolean;
  readonly open: () => void;
  readonly drawer: ReactNode;
}

/** The form for a new resource; `given` is what the page has already decided, such as the account of a room. */
export function useCreation(noun: Noun, given: FormValues = {}): Creation {
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<Row | null>(null);
  const may = useMay();
  const navigate = useNavigate();
  const { create } = noun;
  if (create === undefined || !may(create)) return { isAllowed: false, open: () => {}, drawer: null };

  const hidden = new Set([...hiddenMembers(noun, may), ...Object.keys(given)]);
  const fields = formFieldsOf(bodyOf(create), noun.inputs).filter(({ name }) => !hidden.has(name));

  async function submit(values: FormValues): Promise<void> {
    if (create === undefined) return;
    const body = { ...creationBody(fields, values), ...given };
    const { data } = (await callEndpoint(create, { body })) as { data: Row };
    await refreshEverything();
    setOpen(false);
    if (secretOf(noun, data) === null) await show(data);
    else setMade(data);
  }

  async function show(row: Row): Promise<void> {
    showDone(`${noun.titleOf(row)} has been created.`);
    await navigate({ to: '/$noun/$id', params: { noun: noun.path, id: row.id } });
  }

  return {
    isAllowed: true,
    open: () => setOpen(true),
    drawer: (
      <>
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
        {made && (
          <SecretDialog
            title={`${noun.titleOf(made)} has been created`}
            label="Secret"
            value={secretOf(noun, made) ?? ''}
            onClose={() => {
              setMade(null);
              void show(made);
            }}
          />
        )}
      </>
    ),
  };
}

/** What the platform shows this once; null where it shows nothing. */
function secretOf(noun: Noun, row: Row): string | null {
  const secret = noun.shownOnce === undefined ? null : row[noun.shownOnce];
  return typeof secret === 'string' ? secret : null;
}

/** The members of a body that a form leaves out for whoever is signed in. */
export function hiddenMembers(noun: Noun, may: (name: EndpointName) => boolean): string[] {
  const forOthers = Object.entries(noun.membersFor ?? {}).filter(([, endpoint]) => !may(endpoint));
  return [...(noun.hidden ?? []), ...forOthers.map(([name]) => name)];
}

export function bodyOf(name: keyof typeof endpoints): TObject {
  const endpoint = endpoints[name];
  if (!('body' in endpoint)) throw new Error(`${name} has no body`);
  return endpoint.body;
}
