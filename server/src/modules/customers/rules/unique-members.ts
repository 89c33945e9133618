import { type FieldFaults, invalidInput } from '../../../platform/failures.ts';

/** What no two customers share, whatever the case, besides the generated key. */
export const uniqueMembers = ['email', 'hostname', 'subdomain'] as const;
export type Unique = (typeof uniqueMembers)[number];

export function takenFaults(names: readonly Unique[]): FieldFaults {
  return Object.fromEntries(names.map((name) => [name, [`The ${name} has already been taken.`]]));
}

/** @throws 422 naming the member when PostgreSQL refused it because another customer has it. */
export function refuseTaken(error: unknown): void {
  const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown };
  if (code !== '23505') return;
  const name = uniqueMembers.find((member) => constraint === `customers_${member}`);
  if (name) throw invalidInput(takenFaults([name]));
}
