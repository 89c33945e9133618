import type { Resource } from '@foyer/contract/resource.ts';

/** The names that `filter` lets through; null lets everything through. */
export type FieldFilter = ReadonlySet<string> | null;

export function parseFilter(text: string | undefined): FieldFilter {
  if (text === undefined) return null;
  const names = text
    .split(/[,;]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.length === 0 ? null : new Set(names);
}

/** Only declared members come out, and of those only what the filter names: nothing undeclared can leak. */
export function shape(
  resource: Resource,
  values: Record<string, unknown>,
  filter: FieldFilter,
): Record<string, unknown> {
  const shaped: Record<string, unknown> = {};
  for (const name of namesOf(resource)) {
    if (filter === null || filter.has(name)) shaped[name] = values[name];
  }
  return shaped;
}

const names = new WeakMap<Resource, readonly string[]>();

function namesOf(resource: Resource): readonly string[] {
  let known = names.get(resource);
  if (!known) {
    known = Object.keys(resource.fields);
    names.set(resource, known);
  }
  return known;
}
