import { type FieldFaults, invalidInput } from '../../../platform/failures.ts';

/** Unique among customers, ignoring case. */
export const uniqueMembers = ['email', 'hostname', 'subdomain'] as const;
export type Unique = (typeof uniqueMembers)[number];

export function takenFaults(names: readonly Unique[]): FieldFaults {
  return Object.fromEntries(names.map((name) => [name, [`The ${name} has already been taken.`]]));
}

/** Translates a violation of a unique index. @throws 422 naming the field. */
export function refuseTaken(error: unknown): void {
  const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown };
  if (code !== '23505') return;
  const name = uniqueMembers.find((member) => constraint === `customers_${member}`);
  if (name) throw invalidInput(takenFaults([name]));
}
