import {
  Checkbox,
  ColorInput,
  PasswordInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { countries, currencies, localeChoices, timeZones } from '../../format/choices.ts';
import type { InputProps } from '../form-fields.ts';
import { fromLocalInput, toLocalInput } from '../../format/instants.ts';
import { explain, wordOf } from '../../format/label.ts';
import { SelectOnEnter } from '../select-on-enter.tsx';
import { DurationField } from './duration-field.tsx';
import { ruleOf } from '../form-faults-of.ts';
import { MetadataInput } from './metadata-input.tsx';
import { NumberField } from './number-field.tsx';
import { ReferencePicker } from './reference-picker.tsx';
import { ReferencesPicker } from './references-picker.tsx';

export function FieldInput(props: InputProps): ReactNode {
  const { field, value, faults, onChange } = props;
  const { input } = field;
  const words = typeof value === 'string' ? value : '';
  const shared = {
    name: field.name,
    label: field.label,
    description: field.description,
    error: faults[''] ?? Object.values(faults)[0] ?? null,
    required: field.required,
  };
  switch (input.kind) {
    case 'boolean':
      return (
        <Switch
          {...shared}
          required={false}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'number':
      return (
        <NumberField
          {...shared}
          rule={ruleOf(input)}
          value={typeof value === 'number' || typeof value === 'string' ? value : undefined}
          onChange={onChange}
        />
      );
    case 'duration':
      return (
        <DurationField
          {...shared}
          base={input.base}
          minimum={input.minimum}
          maximum={input.maximum}
          value={value}
          onChange={onChange}
        />
      );
    case 'choice':
      return (
        <Select
          {...shared}
          value={words || null}
          data={[...new Set([...input.choices, ...(words ? [words] : [])])].map((choice) => ({
            value: choice,
            label: wordOf(choice),
          }))}
          clearable={!field.required && field.nullable}
          allowDeselect={false}
          onChange={(next) => onChange(next ?? undefined)}
        />
      );
    case 'locale':
    case 'time-zone':
    case 'currency':
    case 'country':
      return (
        <SelectOnEnter>
          <Select
            {...shared}
            value={words || null}
            data={input.kind === 'locale' ? localeChoices(words || 'en') : choiceLists[input.kind]()}
            searchable
            limit={60}
            nothingFoundMessage="Nothing found"
            clearable={field.nullable}
            allowDeselect={false}
            onChange={(next) => onChange(next ?? undefined)}
          />
        </SelectOnEnter>
      );
    case 'day':
      return (
        <TextInput {...shared} type="date" value={words} onChange={(event) => onChange(event.currentTarget.value)} />
      );
    case 'instant':
      return (
        <TextInput
          {...shared}
          type="datetime-local"
          value={words === '' ? '' : toLocalInput(words)}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.value === '' ? '' : fromLocalInput(currentTarget.value))
          }
        />
      );
    case 'multiline':
      return (
        <Textarea
          {...shared}
          autosize
          minRows={2}
          maxRows={10}
          value={words}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'password':
    case 'secret':
      return (
        <PasswordInput
          {...shared}
          // Mantine sets this on every input but this one.
          aria-invalid={shared.error === null ? undefined : true}
          autoComplete="new-password"
          value={words}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'color':
      return (
        <ColorInput
          {...shared}
          format="hex"
          // Otherwise an invalid color would be dropped silently.
          fixOnBlur={false}
          value={words}
          onChange={onChange}
          eyeDropperButtonProps={{ 'aria-label': 'Pick a colour from the screen' }}
        />
      );
    case 'list':
      return <TagsInput {...shared} placeholder="Type and press Enter" value={textsOf(value)} onChange={onChange} />;
    case 'reference':
      return (
        <ReferencePicker
          {...shared}
          prefix={input.prefix}
          {...(input.within ? { within: input.within } : {})}
          value={words || null}
          onChange={(id) => onChange(id ?? undefined)}
        />
      );
    case 'references':
      return <ReferencesPicker {...shared} prefix={input.prefix} value={textsOf(value)} onChange={onChange} />;
    case 'choices':
      return (
        <Checkbox.Group {...shared} value={textsOf(value)} onChange={onChange}>
          <Stack gap={10} mt={8}>
            {input.choices.map((choice) => (
              <Checkbox key={choice} value={choice} label={wordOf(choice)} description={explain(choice)} />
            ))}
          </Stack>
        </Checkbox.Group>
      );
    case 'metadata':
      return <MetadataInput {...shared} faults={faults} value={value} onChange={onChange} />;
    case 'custom':
      return <input.Input {...props} />;
    case 'text':
      return (
        <TextInput
          {...shared}
          type={input.format === 'email' ? 'email' : 'text'}
          value={words}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

const choiceLists = { 'time-zone': once(timeZones), currency: once(currencies), country: once(countries) };

/** Creates a list on its first use. The lists are long, and the same for every field. */
function once<Value>(make: () => Value): () => Value {
  let created: Value | undefined;
  return () => (created ??= make());
}
