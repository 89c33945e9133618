import { type FieldFaults, invalidInput } from './failures.ts';

/**
 * An immutable member may be written with the value that it has.
 * @throws 422 that names every one that differs.
 */
export function refuseChanged(
  given: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>>,
): void {
  const faults: FieldFaults = {};
  for (const [name, value] of Object.entries(given)) {
    if (value !== (stored[name] ?? null)) faults[name] = [`The ${name.replaceAll('_', ' ')} cannot be changed.`];
  }
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
}

/** The given members only: what is absent stays as it is. */
export function present<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Values>;
}
