import { type FieldFaults, invalidInput } from './failures.ts';

/** An immutable member may be sent with its current value. @throws 422 naming every member that differs */
export function refuseChanged(
  input: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>>,
): void {
  const faults: FieldFaults = {};
  for (const [name, value] of Object.entries(input)) {
    if (value !== (stored[name] ?? null)) faults[name] = [`The ${name.replaceAll('_', ' ')} cannot be changed.`];
  }
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
}

/** The columns to change. @param json the JSON columns, with the value that is stored for null */
export function changedColumns<Values extends object, Json extends keyof Values>(
  values: Values,
  json: Readonly<Record<Json, object>>,
): Partial<Omit<Values, Json> & Record<Json, string>> {
  const texts = (Object.entries(json) as [Json, object][]).map(([name, empty]) => {
    const value = values[name];
    return [name, value === undefined ? undefined : JSON.stringify(value ?? empty)];
  });
  return withoutUndefined({ ...values, ...(Object.fromEntries(texts) as Record<Json, string>) });
}

/** The members that are present; absent ones stay unchanged. */
export function withoutUndefined<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Values>;
}
