import type { FormField } from './form-fields.ts';

export type FormValues = Readonly<Record<string, unknown>>;

/** Initial values: the stored or preselected ones. */
export function initialValues(fields: readonly FormField[], stored: FormValues): FormValues {
  return Object.fromEntries(fields.map((field) => [field.name, initialValue(field, stored[field.name])]));
}

/** The request body for creation. Empty fields are left out, so that server defaults apply. */
export function creationBody(fields: readonly FormField[], values: FormValues): Record<string, unknown> {
  return Object.fromEntries(
    fields.map(({ name }) => [name, values[name]] as const).filter(([, value]) => !isEmpty(value)),
  );
}

/** The request body for a change: values that differ from the stored ones; emptied fields become null. */
export function changeBody(
  fields: readonly FormField[],
  initial: FormValues,
  values: FormValues,
): Record<string, unknown> {
  return Object.fromEntries(
    fields
      .filter(({ name }) => !isSame(initial[name], values[name]))
      .map(({ name }) => [name, values[name] === '' || values[name] === undefined ? null : values[name]]),
  );
}

/** The errors of a member and its children, by the path below it. */
export function errorsOfField(
  errors: Readonly<Record<string, readonly string[]>>,
  name: string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errors).flatMap(([path, sentences]) => {
      if (path === name) return [['', sentences.join(' ')]];
      return path.startsWith(`${name}.`) ? [[path.slice(name.length + 1), sentences.join(' ')]] : [];
    }),
  );
}

/** The sentences that no field of the form can show. */
export function errorsWithoutField(
  errors: Readonly<Record<string, readonly string[]>>,
  fields: readonly { readonly name: string }[],
): string[] {
  const names = fields.map(({ name }) => name);
  return Object.entries(errors).flatMap(([path, sentences]) =>
    names.some((name) => path === name || path.startsWith(`${name}.`)) ? [] : sentences,
  );
}

export function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isBlank(left) && isBlank(right)) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return isEmpty(left) && isEmpty(right);
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every(
    (name) => name in left && name in right && isSame((left as FormValues)[name], (right as FormValues)[name]),
  );
}

function initialValue(field: FormField, stored: unknown): unknown {
  if (stored === undefined || stored === null) return undefined;
  if (field.input.kind === 'day' && typeof stored === 'string') return stored.slice(0, 10);
  return stored;
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function isEmpty(value: unknown): boolean {
  if (isBlank(value)) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
