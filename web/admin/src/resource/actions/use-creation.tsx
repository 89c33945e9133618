import { endpoints, type EndpointName } from '@foyer/contract';
import type { TObject } from 'typebox';
import { useNavigate } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, useState } from 'react';
import { creationBody, type FormValues } from '../../../../kit/form/form-values.ts';
import { type FormField, formFieldsOf } from '../../../../kit/form/form-fields.ts';
import type { Constraints } from '../../../../kit/list/search.ts';
import { showDone } from '../../../../kit/display/notices/toasts.ts';
import type { Noun, Row } from '../../../../kit/noun/noun.ts';
import { callEndpoint, refreshEverything } from '../../../../kit/api/client.ts';
import { useMay } from '../../../../kit/noun/app.tsx';
import { CreationPreview } from '../../subscriptions/creation-preview.tsx';
import { CreationOutcome, makePasswordLink, type Outcome, secretOf, randomPassword } from '../creation-outcome.tsx';
import { inputsOf } from '../inputs.ts';
import { FormDrawer } from '../../../../kit/form/form-drawer.tsx';

interface Creation {
  readonly isAllowed: boolean;
  readonly open: () => void;
  readonly drawer: ReactNode;
}

interface CreationOptions {
  /** Values that the page sets instead of the form, such as the account of a room. */
  readonly presets?: FormValues;
  /** Filters for the options of reference fields, by field. */
  readonly choiceFilters?: Readonly<Record<string, Constraints>>;
  /** Otherwise, the form starts with the defaults of the noun. */
  readonly initialValues?: FormValues;
  readonly title?: string;
  /** Runs after creation, before the page is shown. */
  readonly onCreated?: (row: Row) => Promise<void>;
}

/** The form for a new resource. */
export function useCreation(noun: Noun, options: CreationOptions = {}): Creation {
  const { presets = {}, choiceFilters = {} } = options;
  const [isOpen, setOpen] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const may = useMay();
  const navigate = useNavigate();
  const { create } = noun;
  if (create === undefined || !may(create)) return { isAllowed: false, open: () => {}, drawer: null };

  const hidden = new Set([...hiddenMembers(noun, may), ...Object.keys(presets)]);
  const contractFields = formFieldsOf(bodyOf(create), inputsOf(noun))
    .filter(({ name }) => !hidden.has(name))
    .map((field) => withChoiceFilters(field, choiceFilters));
  const sendsLink = noun.passwordLink !== undefined && may(noun.passwordLink);
  const fields = sendsLink ? contractFields.map(withoutRequiredPassword) : contractFields;
  const hints = { ...noun.hints, ...noun.creationHints, ...(sendsLink ? { password: linkHint } : {}) };

  async function submit(values: FormValues): Promise<void> {
    if (create === undefined) return;
    const typed = creationBody(fields, values);
    const needsLink = sendsLink && typed['password'] === undefined;
    const isPasswordRequired = contractFields.some(({ name, required }) => name === 'password' && required);
    const body = { ...typed, ...(needsLink && isPasswordRequired ? { password: randomPassword() } : {}), ...presets };
    const { data } = (await callEndpoint(create, { body })) as { data: Row };
    await options.onCreated?.(data);
    const link = needsLink ? await makePasswordLink(noun, data) : null;
    await refreshEverything();
    setOpen(false);
    const secret = secretOf(noun, data);
    if (secret === null && link === null) await openPage(data);
    else setOutcome({ row: data, secret, link });
  }

  async function openPage(row: Row): Promise<void> {
    showDone(`${noun.titleOf(row)} has been created.`);
    await navigate({ to: '/$noun/$id', params: { noun: noun.path, id: row.id } });
  }

  return {
    isAllowed: true,
    open: () => setOpen(true),
    drawer: (
      <>
        <FormDrawer
          title={options.title ?? `New ${noun.singular}`}
          isOpen={isOpen}
          onClose={() => setOpen(false)}
          fields={fields}
          groups={noun.groups}
          hints={hints}
          stored={options.initialValues ?? noun.defaults ?? {}}
          rules={noun.rules}
          isCreation
          presets={presets}
          preview={previews[noun.path]}
          submitLabel={`Create ${noun.singular}`}
          onSubmit={submit}
        />
        {outcome && (
          <CreationOutcome
            noun={noun}
            outcome={outcome}
            onClose={() => {
              setOutcome(null);
              void openPage(outcome.row);
            }}
          />
        )}
      </>
    ),
  };
}

/** Previews of creation forms, by the path of the noun. */
const previews: Readonly<Record<string, ComponentType<{ readonly values: FormValues; readonly isRefused: boolean }>>> =
  {
    subscriptions: CreationPreview,
  };

const linkHint =
  'Leave empty to send a link for choosing a password. If no mail server is set up, the link is shown to you.';

function withChoiceFilters(field: FormField, choiceFilters: Readonly<Record<string, Constraints>>): FormField {
  const within = choiceFilters[field.name];
  return within === undefined || field.input.kind !== 'reference'
    ? field
    : { ...field, input: { ...field.input, within } };
}

function withoutRequiredPassword(field: FormField): FormField {
  return field.name === 'password' ? { ...field, required: false } : field;
}

/** The members of a body that the form leaves out for the caller. */
export function hiddenMembers(noun: Noun, may: (name: EndpointName) => boolean): string[] {
  const notAllowed = Object.entries(noun.membersFor ?? {}).filter(([, endpoint]) => endpoint && !may(endpoint));
  return [...(noun.hidden ?? []), ...notAllowed.map(([name]) => name)];
}

export function bodyOf(name: keyof typeof endpoints): TObject {
  const endpoint = endpoints[name];
  if (!('body' in endpoint)) throw new Error(`${name} has no body`);
  return endpoint.body;
}
