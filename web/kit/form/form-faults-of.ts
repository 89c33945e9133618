import type { FormField } from './form-fields.ts';
import { type FormValues, isSame } from './form-values.ts';
import { readNumber } from '../format/numbers.ts';
import { toText } from '../format/to-text.ts';

export type Errors = Readonly<Record<string, readonly string[]>>;

type Condition = (values: FormValues) => boolean;

/** Rules between the fields of a form. */
export interface FormRules<Field extends string = string> {
  /** Fields that are shown only under a condition. */
  readonly shownWhen?: { readonly [Name in Field]?: Condition };
  readonly requiredWhen?: { readonly [Name in Field]?: Condition };
  /** Fields of a creation form that are marked as required but only checked by the platform. */
  readonly requiredUnlessStored?: readonly Field[];
  /** Values that one field of a creation form suggests for others. */
  readonly proposes?: { readonly [Name in Field]?: (value: unknown) => FormValues };
}

/** The values after a change, with suggestions for fields that are empty or still have the suggested value. */
export function applyChange(before: FormValues, name: string, value: unknown, rules: FormRules = {}): FormValues {
  const propose = rules.proposes?.[name];
  const changed = { ...before, [name]: value };
  if (propose === undefined) return changed;
  const former = propose(before[name]);
  const untouched = Object.entries(propose(value)).filter(
    ([other]) => isEmpty(before[other]) || before[other] === former[other],
  );
  return { ...changed, ...Object.fromEntries(untouched) };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** The fields that are shown with the current values. */
export function visibleFields(fields: readonly FormField[], values: FormValues, rules: FormRules = {}): FormField[] {
  return fields
    .filter(({ name }) => rules.shownWhen?.[name]?.(values) ?? true)
    .map((field) => ({ ...field, required: field.required || (rules.requiredWhen?.[field.name]?.(values) ?? false) }));
}

/** Errors that are found without a request. */
export function faultsOf(fields: readonly FormField[], values: FormValues): Errors {
  return Object.fromEntries(
    fields.flatMap((field) => {
      if (field.input.kind === 'custom') return Object.entries(field.input.errorsOf?.(field, values) ?? {});
      const fault = faultOf(field, values[field.name]);
      return fault === null ? [] : [[field.name, [fault]]];
    }),
  );
}

/** The reported errors without those that the current values have corrected. */
export function remainingFaults(reported: Errors, fields: readonly FormField[], values: FormValues): Errors {
  const current = faultsOf(fields, values);
  return filterErrors(reported, (path) => path in current);
}

/** The errors of a rejected request, without those of fields that have changed since the request. */
export function remainingErrors(reported: Errors, submitted: FormValues, values: FormValues): Errors {
  return filterErrors(reported, (path) => {
    const [name = ''] = path.split('.');
    return isSame(submitted[name], values[name]);
  });
}

function filterErrors(errors: Errors, isKept: (path: string) => boolean): Errors {
  return Object.fromEntries(Object.entries(errors).filter(([path]) => isKept(path)));
}

function isBlank(value: unknown): boolean {
  return isEmpty(value) || (Array.isArray(value) && value.length === 0);
}

function faultOf({ input, required, label }: FormField, value: unknown): string | null {
  if (isBlank(value)) return required && requirableKinds.has(input.kind) ? `“${label}” is required.` : null;
  if ((input.kind === 'number' || input.kind === 'duration') && typeof value === 'string') {
    const reading = readNumber(value, input.kind === 'number' ? ruleOf(input) : anyNumber);
    return reading.ok ? null : reading.message;
  }
  if (input.kind === 'duration' && typeof value === 'number') {
    return Number.isInteger(value) && value >= input.minimum && value <= input.maximum
      ? null
      : 'Enter a valid duration.';
  }
  if (input.kind === 'text' && input.format === 'email' && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(toText(value).trim())) {
    return `“${label}” must be an email address.`;
  }
  if (input.kind === 'color' && !/^#[0-9a-f]{6}$/i.test(toText(value).trim())) return 'Enter a color such as #1f6b5c.';
  if (input.kind === 'password' && toText(value).length < 8) return `“${label}” needs at least eight characters.`;
  return null;
}

/** The error of a custom input that is required and empty. */
export function requiredError({ name, label, required }: FormField, values: FormValues): Errors {
  return required && isBlank(values[name]) ? { [name]: [`“${label}” is required.`] } : {};
}

export function ruleOf(input: { minimum: number; maximum: number; decimals: number }) {
  return { minimum: input.minimum, maximum: input.maximum, decimals: input.decimals };
}

const anyNumber = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER, decimals: 3 };

const requirableKinds = new Set([
  'text',
  'multiline',
  'password',
  'secret',
  'number',
  'duration',
  'choice',
  'choices',
  'list',
  'reference',
  'references',
  'currency',
  'country',
  'time-zone',
  'locale',
  'day',
  'instant',
]);
