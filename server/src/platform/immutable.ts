import { type FieldFaults, invalidInput } from './failures.ts';

/** An immutable member may be sent with its current value. @throws 422 naming every one that differs */
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

/** The members that are present; absent ones stay unchanged. */
export function withoutUndefined<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Values>;
}

/** The column for a map: null empties it; absent, it stays unchanged. */
export function mapColumn(map: object | null | undefined): string | undefined {
  return map === undefined ? undefined : JSON.stringify(map ?? {});
}
