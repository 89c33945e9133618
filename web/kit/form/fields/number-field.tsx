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

/** Accepts numbers in common notations. Other text is kept and shown with an error. */
export function NumberField({ rule, value, onChange, error, onBlur, ...input }: Props) {
  const [inputText, setInputText] = useState(textOf(value));
  const [lastValue, setLastValue] = useState(value ?? undefined);
  const [isBlurred, setBlurred] = useState(true);
  // The value was changed from outside: by an undo, or by choosing a package.
  if (lastValue !== (value ?? undefined)) {
    setLastValue(value ?? undefined);
    setInputText(textOf(value));
  }
  const reading = readNumber(inputText, rule);

  function change(text: string): void {
    const next = readNumber(text, rule);
    const result = next.ok ? (next.value ?? undefined) : text;
    setInputText(text);
    setLastValue(result);
    onChange(result);
  }

  return (
    <TextInput
      {...input}
      inputMode={rule.decimals === 0 ? 'numeric' : 'decimal'}
      autoComplete="off"
      value={inputText}
      error={reading.ok ? error : isBlurred || isUnparsable(inputText, rule.decimals) ? reading.message : error}
      onFocus={() => setBlurred(false)}
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={(event) => {
        setBlurred(true);
        if (reading.ok && reading.value !== null) setInputText(formatPlain(reading.value));
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
