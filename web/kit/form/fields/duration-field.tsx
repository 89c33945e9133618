import { Group, Input, Select } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { type DurationBase, durationText, fittingUnit, unitsOf } from '../../format/durations.ts';
import { NumberField } from './number-field.tsx';

interface Props {
  readonly name: string;
  readonly label: string;
  readonly description: ReactNode;
  readonly error: string | null;
  readonly required: boolean;
  readonly base: DurationBase;
  /** In the base unit, like `maximum` and `value`. */
  readonly minimum: number;
  readonly maximum: number;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** Input of a duration in a suitable unit; the value is kept in the base unit. */
export function DurationField({ base, minimum, maximum, value, onChange, error, ...input }: Props) {
  const units = unitsOf(base);
  const stored = typeof value === 'number' ? value : 0;
  const [unitName, setUnitName] = useState(() => fittingUnit(stored, base).name);
  const unit = units.find(({ name }) => name === unitName) ?? { name: unitName, length: 1 };
  const id = useId();
  const isNumber = typeof value === 'number';
  const fault =
    isNumber && !Number.isInteger(value)
      ? `Enter a whole number of ${units[0]?.name ?? ''}s.`
      : isNumber && (value < minimum || value > maximum)
        ? `From ${durationText(minimum, base)} to ${durationText(maximum, base)}.`
        : null;
  return (
    <Input.Wrapper
      id={id}
      label={input.label}
      description={input.description}
      error={fault ?? error}
      required={input.required}
    >
      <Group gap="xs" wrap="nowrap" align="flex-start" mt={6}>
        <NumberField
          id={id}
          name={input.name}
          style={{ flex: 1 }}
          rule={{ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, decimals: unit.length === 1 ? 0 : 3 }}
          value={isNumber ? value / unit.length : (value as string | undefined)}
          error={fault !== null || error !== null}
          onChange={(next) => onChange(typeof next === 'number' ? roundOff(next * unit.length) : next)}
        />
        {units.length === 1 ? (
          <Input.Label component="span" fw={450} mt={8} w={100}>
            {unit.name}s
          </Input.Label>
        ) : (
          <Select
            w={130}
            aria-label={`${input.label}, unit`}
            allowDeselect={false}
            value={unitName}
            data={units.map(({ name }) => ({ value: name, label: `${name}s` }))}
            onChange={(next) => {
              const chosen = units.find(({ name }) => name === next);
              if (chosen === undefined) return;
              setUnitName(chosen.name);
              // The number stays the same, and its unit changes.
              if (isNumber) onChange(roundOff((value / unit.length) * chosen.length));
            }}
          />
        )}
      </Group>
    </Input.Wrapper>
  );
}

/** Rounds floating-point errors: 0.1 seconds are 100 milliseconds. */
function roundOff(value: number): number {
  return Number(value.toFixed(6));
}
