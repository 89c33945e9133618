import { type FormValues, isSame } from '../form/form-values.ts';

/** Three versions of the values of a form, for a three-way merge. */
export interface Versions {
  /** The initial values of the form. */
  readonly before: FormValues;
  /** The values that another person has saved since. */
  readonly theirs: FormValues;
  /** The current values of the form. */
  readonly mine: FormValues;
}

/** A field that another person changed while it was being edited here. */
export interface ChangedField {
  /** The field, and for a map the key in it: `['metadata', 'team']`. */
  readonly path: readonly string[];
  readonly before: unknown;
  readonly theirs: unknown;
  readonly mine: unknown;
  /** Both changed it, to different values. */
  readonly isConflict: boolean;
}

export type Side = 'theirs' | 'mine';

/** The fields that the other person changed, conflicts first. Maps are compared key by key. */
export function changedFields(names: readonly string[], { before, theirs, mine }: Versions): ChangedField[] {
  return names
    .flatMap((name) => compare([name], { before: before[name], theirs: theirs[name], mine: mine[name] }))
    .sort((one, other) => Number(other.isConflict) - Number(one.isConflict));
}

/** Adopts the changes of the other person. On a conflict, the form keeps its value until a side is chosen. */
export function mergeUntouched(mine: FormValues, changed: readonly ChangedField[]): FormValues {
  return changed.reduce((values, field) => (field.isConflict ? values : chooseSide(values, field, 'theirs')), mine);
}

/** Sets one field to the value of the chosen side. */
export function chooseSide(values: FormValues, { path, ...sides }: ChangedField, side: Side): FormValues {
  const [name = '', key] = path;
  if (key === undefined) return { ...values, [name]: sides[side] };
  const { [key]: _replaced, ...others } = (values[name] ?? {}) as FormValues;
  return { ...values, [name]: sides[side] === undefined ? others : { ...others, [key]: sides[side] } };
}

/** Three-way merge of sets: applies the additions and removals of both sides. */
export function mergeSets<Item>(
  before: ReadonlySet<Item>,
  theirs: ReadonlySet<Item>,
  mine: ReadonlySet<Item>,
): Set<Item> {
  const all = new Set([...theirs, ...mine]);
  return new Set([...all].filter((item) => (before.has(item) ? theirs.has(item) && mine.has(item) : true)));
}

export function keyOfPath(path: readonly string[]): string {
  return path.join('.');
}

type Values = Readonly<Record<'before' | 'theirs' | 'mine', unknown>>;

function compare(path: readonly string[], { before, theirs, mine }: Values): ChangedField[] {
  if (isSame(before, theirs) || isSame(theirs, mine)) return [];
  const maps = [before, theirs, mine].map(mapOf);
  const [old, saved, typed] = maps;
  if (path.length === 1 && old && saved && typed) {
    const keys = [...new Set(maps.flatMap((map) => Object.keys(map ?? {})))];
    return keys.flatMap((key) => compare([...path, key], { before: old[key], theirs: saved[key], mine: typed[key] }));
  }
  return [{ path, before, theirs, mine, isConflict: !isSame(before, mine) }];
}

/** The map, empty if it is absent; null for any other value. */
function mapOf(value: unknown): FormValues | null {
  if (value === undefined || value === null) return {};
  return typeof value === 'object' && !Array.isArray(value) ? (value as FormValues) : null;
}
