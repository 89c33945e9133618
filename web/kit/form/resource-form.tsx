import { Accordion, Box, Button, Fieldset, Group, SimpleGrid, Stack } from '@mantine/core';
import { FoyerError } from '@foyer/sdk';
import { type SubmitEvent, useLayoutEffect, useRef, useState } from 'react';
import { type FormField, groupFields } from './form-fields.ts';
import { errorsOfField, type FormValues, initialValues, isSame, errorsWithoutField } from './form-values.ts';
import { withFieldLabels } from '../format/sentences.ts';
import type { Version } from '../concurrency/edit-conflict.ts';
import { useMerge } from '../concurrency/use-merge.tsx';
import { useDrawerClose } from '../dialog/side-drawer.tsx';
import { FieldInput } from './fields/field-input.tsx';
import type { FormProps } from './form-props.ts';
import {
  applyChange,
  type Errors,
  faultsOf,
  remainingErrors,
  remainingFaults,
  visibleFields,
} from './form-faults-of.ts';
import { FormFaults } from './form-faults.tsx';
import { mergeWords } from './merge-words.tsx';

export interface ResourceFormProps {
  readonly onCancel: () => void;
  readonly cancelLabel?: string;
  /** Save and undo are disabled while nothing has changed. */
  readonly isDisabledUntilChanged?: boolean;
  readonly onDirty?: (isDirty: boolean) => void;
  /** The member of the body that contains the fields, if they are nested. */
  readonly errorsBelow?: string;
  /** The version that the form shows, if it changes a resource. */
  readonly shown?: Version;
  readonly valuesOf?: (row: FormValues) => FormValues;
}

/** A form for a request body of the contract. Errors of the API appear at their fields. */
export function ResourceForm(props: FormProps & ResourceFormProps) {
  const { groups, hints, stored, isCreation, submitLabel, onSubmit, onCancel, preview: Preview } = props;
  const [initiallyStored] = useState(() => initialValues(props.fields, stored));
  const [values, setValues] = useState<FormValues>(initiallyStored);
  const merge = useMerge({
    shown: props.shown ?? null,
    valuesOf: (row) => initialValues(props.fields, props.valuesOf?.(row) ?? row),
    values,
    onValues: setValues,
    ...mergeWords(props.fields, stored),
  });
  const initial = merge.base?.initial ?? initiallyStored;
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [unfolded, setUnfolded] = useState<string[]>([]);
  const form = useRef<HTMLFormElement>(null);
  const [reportedFaults, setReportedFaults] = useState<Errors>({});
  const [submitted, setSubmitted] = useState<FormValues>({});
  const all = { ...stored, ...values, ...props.presets };
  const fields = visibleFields(props.fields, all, props.rules);
  const clientFaults = remainingFaults(reportedFaults, fields, all);
  const errors = labelErrors(
    failure instanceof FoyerError
      ? remainingErrors(assignErrors(failure.errors, props), submitted, values)
      : clientFaults,
    fields,
  );
  const isCorrected =
    failure instanceof FoyerError && Object.keys(failure.errors).length > 0 && Object.keys(errors).length === 0;
  const isDirty = !isSame(initial, values);
  const hasNothingToSave = props.isDisabledUntilChanged === true && !isDirty;
  const close = useDrawerClose(isDirty && !isBusy);
  const { onDirty } = props;
  useLayoutEffect(() => onDirty?.(isDirty && !isBusy), [isDirty, isBusy, onDirty]);
  const sections = groupFields(fields, groups, isCreation);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    // A form inside another form must not submit both.
    event.stopPropagation();
    const faults = faultsOf(fields, all);
    setFailure(null);
    setReportedFaults(faults);
    setSubmitted(values);
    if (Object.keys(faults).length > 0) return showFaults(faults);
    if (merge.requireChoices()) return showFaults({});
    setBusy(true);
    try {
      await merge.submit((base) => onSubmit(shownValues(), base));
    } catch (error) {
      setFailure(error);
      showFaults(error instanceof FoyerError ? assignErrors(error.errors, props) : {});
    } finally {
      setBusy(false);
    }
  }

  function showFaults(faults: Errors): void {
    setUnfolded((open) => [...new Set([...open, ...titlesAtFault(faults, sections)])]);
    requestAnimationFrame(() => focusFault(form.current));
  }

  /** Hidden fields keep their initial values. */
  function shownValues(): FormValues {
    const ownNames = new Set(fields.map(({ name }) => name));
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, ownNames.has(name) ? value : initial[name]]),
    );
  }

  function renderInputs(section: readonly FormField[]) {
    return (
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="md">
        {section.map((field) => (
          <Box key={`${field.name} ${merge.round}`} style={isShort(field) ? {} : { gridColumn: '1 / -1' }}>
            <FieldInput
              field={{
                ...field,
                description: hints[field.name] ?? field.description,
                required: field.required || (props.rules?.requiredUnlessStored?.includes(field.name) ?? false),
              }}
              value={values[field.name]}
              values={all}
              faults={errorsOfField(errors, field.name)}
              onChange={(value) =>
                setValues((before) =>
                  isCreation ? applyChange(before, field.name, value, props.rules) : { ...before, [field.name]: value },
                )
              }
              onOther={(name, value) => setValues((before) => ({ ...before, [name]: value }))}
            />
          </Box>
        ))}
      </SimpleGrid>
    );
  }

  const folded = sections.filter((section) => section.folded);
  return (
    <form ref={form} noValidate onSubmit={(event) => void submit(event)}>
      <Stack p="xl" pt="lg" gap="lg">
        {merge.panel}
        <FormFaults
          failure={isCorrected ? null : failure}
          hasClientFaults={Object.keys(clientFaults).length > 0}
          otherErrors={errorsWithoutField(errors, fields)}
          help={props.help?.(failure)}
        />
        {sections
          .filter((section) => !section.folded)
          .map((section) =>
            section.title === '' ? (
              <div key="">{renderInputs(section.fields)}</div>
            ) : (
              <Fieldset key={section.title} legend={section.title} variant="unstyled" className="group">
                {renderInputs(section.fields)}
              </Fieldset>
            ),
          )}
        {folded.length > 0 && (
          <Accordion multiple value={unfolded} onChange={setUnfolded} variant="default" chevronPosition="left" mx={-16}>
            {folded.map((section) => (
              <Accordion.Item key={section.title} value={keyOf(section.title)}>
                <Accordion.Control>{section.title}</Accordion.Control>
                <Accordion.Panel>{renderInputs(section.fields)}</Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        )}
        {Preview && <Preview values={all} isRefused={failure !== null} />}
      </Stack>
      <Group
        className="form-foot"
        justify="flex-end"
        gap="sm"
        wrap="nowrap"
        data-nothing-to-save={hasNothingToSave || undefined}
      >
        <Button variant="default" disabled={hasNothingToSave} onClick={close ?? onCancel}>
          {props.cancelLabel ?? 'Cancel'}
        </Button>
        <Button
          type="submit"
          loading={isBusy}
          disabled={hasNothingToSave}
          // An error that appears on blur would move the button away from the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={(event) => event.currentTarget.focus()}
        >
          {submitLabel}
        </Button>
      </Group>
    </form>
  );
}

/** A field in a section that is expanding can only be focused some frames later. */
function focusFault(form: HTMLFormElement | null, framesLeft = 40): void {
  const fault = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
  if (!fault) return;
  fault.focus();
  if (document.activeElement !== fault && framesLeft > 0) {
    requestAnimationFrame(() => focusFault(form, framesLeft - 1));
  }
}

function isShort({ input, name }: FormField): boolean {
  if (input.kind === 'text') return (input.maxLength ?? 0) <= 64 || shortNames.has(name);
  return shortKinds.has(input.kind);
}

const shortKinds = new Set([
  'number',
  'choice',
  'day',
  'instant',
  'currency',
  'country',
  'time-zone',
  'locale',
  'color',
  'duration',
]);

const shortNames = new Set(['first_name', 'last_name', 'tag', 'code', 'external_id']);

/** Replaces the names of members in errors by the labels of the form. */
function labelErrors(errors: Errors, fields: readonly FormField[]): Errors {
  const labels = Object.fromEntries(fields.map(({ name, label }) => [name, label]));
  return Object.fromEntries(
    Object.entries(errors).map(([path, sentences]) => [
      path,
      sentences.map((sentence) => withFieldLabels(sentence, labels)),
    ]),
  );
}

/** Assigns each error to a field. A custom input can take errors with other paths, such as tags of features. */
function assignErrors(errors: Errors, { fields, errorsBelow }: FormProps & ResourceFormProps): Errors {
  return Object.fromEntries(
    Object.entries(withoutMemberPrefix(errors, errorsBelow)).map(([path, sentences]) => {
      const owner = fields.find(({ input }) => input.kind === 'custom' && input.showsErrorAt?.(path));
      return [owner === undefined ? path : `${owner.name}.${path}`, sentences];
    }),
  );
}

function withoutMemberPrefix(errors: Errors, member: string | undefined): Errors {
  if (member === undefined) return errors;
  return Object.fromEntries(
    Object.entries(errors).map(([path, sentences]) => [
      path.startsWith(`${member}.`) ? path.slice(member.length + 1) : path,
      sentences,
    ]),
  );
}

function titlesAtFault(
  errors: Errors,
  sections: readonly { readonly title: string; readonly fields: readonly FormField[] }[],
): string[] {
  const names = Object.keys(errors).map((path) => path.split('.')[0]);
  return sections
    .filter(({ fields }) => fields.some(({ name }) => names.includes(name)))
    .map(({ title }) => keyOf(title));
}

/** Used in an id, where spaces are not allowed. */
function keyOf(title: string): string {
  return title.replaceAll(/\W+/g, '-');
}
