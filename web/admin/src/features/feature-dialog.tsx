import { Button, Checkbox, Group, Modal, Select, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { type FeatureDefinition, unlimited } from '@foyer/contract/resources/packages/feature-definition.ts';
import { intervals } from '@foyer/contract/resources/packages/terms.ts';
import { FoyerError } from '@foyer/sdk';
import { type SubmitEvent, useState } from 'react';
import { versionOfListRow, type Version } from '../../../kit/concurrency/edit-conflict.ts';
import { useMerge } from '../../../kit/concurrency/use-merge.tsx';
import { featureValueText } from '../../../kit/format/feature-values.ts';
import { FormFaults } from '../../../kit/form/form-faults.tsx';
import { type FormValues, errorsWithoutField } from '../../../kit/form/form-values.ts';
import { labelOf } from '../../../kit/format/label.ts';
import { readNumber } from '../../../kit/format/numbers.ts';
import { withFieldLabels } from '../../../kit/format/sentences.ts';
import { toText } from '../../../kit/format/to-text.ts';
import { NumberField } from '../../../kit/form/fields/number-field.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { refreshEverything } from '../../../kit/api/client.ts';
import type { SoldFeature } from './sold-feature.ts';

export interface FeatureValues {
  readonly value?: string | number | boolean;
  readonly resettable_period?: number;
  readonly resettable_interval?: (typeof intervals)[number];
}

interface Props {
  readonly definition: FeatureDefinition;
  readonly row: SoldFeature | null;
  readonly onClose: () => void;
  /** @param base the version that the values are compared with; null for a feature that is added */
  readonly onSubmit: (values: FeatureValues, base: Version | null) => Promise<unknown>;
}

/** Edits the value of a feature. The input depends on the type in the catalogue. */
export function FeatureDialog({ definition, row, onClose, onSubmit }: Props) {
  const [values, setValues] = useState<FormValues>(() => (row === null ? valuesOfNew(definition) : valuesOf(row)));
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const merge = useMerge({
    shown: row === null ? null : versionOfListRow({ ...row }),
    valuesOf: (stored) => valuesOf(stored as unknown as SoldFeature),
    values,
    onValues: setValues,
    labelOf: ([name = '']) => (name === 'value' ? labelOfValue(definition) : labelOf(name)),
    valueOf: ([name], value) => (name === 'value' ? featureValueText(definition.code, toText(value)) : toText(value)),
  });
  const value = toText(values['value']);
  const period = values['resettable_period'] as number | string | undefined;
  const change = (part: FormValues) => setValues((before) => ({ ...before, ...part }));
  // Consumable limits without a period, such as the number of rooms, have no reset.
  const isResettable = definition.consumable && (definition.resettablePeriod > 0 || (row?.resettable_period ?? 0) > 0);
  const errors = failure instanceof FoyerError ? failure.errors : {};
  const faultOf = (name: string) =>
    errors[name]?.map((sentence) => withFieldLabels(sentence, { value: labelOfValue(definition) })).join(' ') ?? null;

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const isValidLimit = definition.valueType !== 'limit' || value === unlimited || readNumber(value, limitRule).ok;
    // Errors are shown at the field.
    if (!isValidLimit || typeof period === 'string' || merge.requireChoices()) return;
    const interval = values['resettable_interval'] as 'month';
    setBusy(true);
    setFailure(null);
    try {
      await merge.submit(async (base) => {
        const reset = isResettable ? { resettable_period: period ?? 0, resettable_interval: interval } : {};
        await onSubmit({ value, ...reset }, base?.version ?? null);
        await refreshEverything();
        showDone(`The feature “${definition.name}” has been saved.`);
        onClose();
      });
    } catch (error) {
      setFailure(error);
    }
    setBusy(false);
  }

  return (
    <Modal opened onClose={onClose} title={row?.name ?? definition.name}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <Stack>
          <Text c="dimmed">{definition.description}</Text>
          {merge.panel}
          <FormFaults failure={failure} otherErrors={errorsWithoutField(errors, fields)} />
          <FeatureValueInput
            definition={definition}
            value={value}
            onChange={(next) => change({ value: next })}
            error={faultOf('value')}
          />
          {isResettable && (
            <Group grow align="flex-end">
              <NumberField
                label="Resets every"
                description="0 means never"
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                rule={{ minimum: 0, maximum: 1000, decimals: 0 }}
                value={period}
                onChange={(next) => change({ resettable_period: next })}
                error={faultOf('resettable_period')}
              />
              <Select
                aria-label="Interval"
                mb={20}
                allowDeselect={false}
                disabled={(period ?? 0) === 0}
                value={toText(values['resettable_interval'])}
                data={intervals.map((name) => ({ value: name, label: period === 1 ? name : `${name}s` }))}
                onChange={(next) => change({ resettable_interval: next ?? 'month' })}
              />
            </Group>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function valuesOf(row: SoldFeature): FormValues {
  const { value, resettable_period, resettable_interval } = row;
  return { value, resettable_period, resettable_interval };
}

function valuesOfNew({ valueType, resettablePeriod, resettableInterval }: FeatureDefinition): FormValues {
  return {
    value: valueType === 'flag' ? 'true' : '',
    resettable_period: resettablePeriod,
    resettable_interval: resettableInterval,
  };
}

const limitRule = { minimum: 0, maximum: 9_999_999_999_999, decimals: 0 };
const fields = [{ name: 'value' }, { name: 'resettable_period' }];

function labelOfValue({ valueType, unit }: Pick<FeatureDefinition, 'valueType' | 'unit'>): string {
  return valueType === 'limit' ? `Limit${unit ? `, in ${unit}` : ''}` : 'Value';
}

interface ValueProps {
  readonly definition: Pick<FeatureDefinition, 'valueType' | 'unit' | 'name'>;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | null;
}

function FeatureValueInput({ definition, value, onChange, error }: ValueProps) {
  if (definition.valueType === 'flag') {
    return (
      <SegmentedControl
        fullWidth
        aria-label={definition.name}
        value={value === 'true' ? 'true' : 'false'}
        onChange={onChange}
        data={[
          { value: 'true', label: 'On' },
          { value: 'false', label: 'Off' },
        ]}
      />
    );
  }
  if (definition.valueType === 'text') {
    return (
      <TextInput
        label="Value"
        data-autofocus
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
      />
    );
  }
  const isUnlimited = value === unlimited;
  return (
    <Stack gap="xs">
      <NumberField
        label={labelOfValue(definition)}
        data-autofocus
        rule={limitRule}
        disabled={isUnlimited}
        value={isUnlimited ? '' : /^\d+$/.test(value) ? Number(value) : value}
        error={error}
        onChange={(next) => onChange(String(next ?? ''))}
      />
      <Checkbox
        label="Unlimited"
        checked={isUnlimited}
        onChange={(event) => onChange(event.currentTarget.checked ? unlimited : '')}
      />
    </Stack>
  );
}
