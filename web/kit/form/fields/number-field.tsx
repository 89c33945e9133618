import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { formatPlain, type NumberRule, readNumber } from '../../format/numbers.ts';

interface Props extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  readonly rule: NumberRule;
  /** Text if the input is not a number. */
  readonly value: number | string | null | undefined;
  /** Receives the number, the text if it is not a number, or undefined if the input is empty. */
  readonly onChange: (value: number | string | undefined) => void;
}

/** A number input for common notations. Text that is not a number stays, with an error. */
export function NumberField({ rule, value, onChange, error, onBlur, ...input }: Props) {
  const [typed, setTyped] = useState(textOf(value));
  const [lastValue, setLastValue] = useState(value ?? undefined);
  const [isLeft, setLeft] = useState(true);
  // The value was changed from outside: by an undo, or by choosing a package.
  if (lastValue !== (value ?? undefined)) {
    setLastValue(value ?? undefined);
    setTyped(textOf(value));
  }
  const reading = readNumber(typed, rule);

  function change(text: string): void {
    const next = readNumber(text, rule);
    const result = next.ok ? (next.value ?? undefined) : text;
    setTyped(text);
    setLastValue(result);
    onChange(result);
  }

  return (
    <TextInput
      {...input}
      inputMode={rule.decimals === 0 ? 'numeric' : 'decimal'}
      autoComplete="off"
      value={typed}
      error={reading.ok ? error : isLeft || isUnparsable(typed, rule.decimals) ? reading.message : error}
      onFocus={() => setLeft(false)}
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={(event) => {
        setLeft(true);
        if (reading.ok && reading.value !== null) setTyped(formatPlain(reading.value));
        onBlur?.(event);
      }}
    />
  );
}

function textOf(value: Props['value']): string {
  return typeof value === 'number' ? formatPlain(value) : (value ?? '');
}

/** Whether no further input could make the text a number. Incomplete numbers are not marked. */
function isUnparsable(text: string, decimals: number): boolean {
  const rule: NumberRule = { minimum: -Infinity, maximum: Infinity, decimals };
  return ['', '0', '00'].every((rest) => !readNumber(text + rest, rule).ok);
}
