import { type FormValues, isSame } from '../form/form-values.ts';
import { labelOf, listOf, lowered, wordOf } from '../format/label.ts';

/** A resource as it was read. */
export interface Version {
  readonly row: FormValues;
  /** The entity tag; null if it was read from a list. */
  readonly etag: string | null;
}

/** A row of a list: compared member by member, as lists carry no entity tags. */
export function versionOfListRow(row: FormValues): Version {
  return { row, etag: null };
}

/** Another person has changed data that the write depends on. Nothing was written. */
export class EditConflict extends Error {
  readonly stored: Version;

  constructor(fields: readonly string[], shown: Version, stored: Version) {
    super(`${sentenceOf(fields, shown.row, stored.row)} Nothing was saved. Check the new values, then try again.`);
    this.name = 'EditConflict';
    this.stored = stored;
  }
}

function sentenceOf(fields: readonly string[], shown: FormValues, stored: FormValues): string {
  const changed = fields.filter((name) => name in shown && !isSame(shown[name], stored[name]));
  const [only] = changed;
  const value = only === undefined ? undefined : stored[only];
  if (changed.length === 1 && only !== undefined && typeof value === 'string') {
    return `Someone changed “${labelOf(only)}” to “${wordOf(value)}” while you had this open.`;
  }
  return `Someone changed ${listOf(
    changed.map((name) => lowered(labelOf(name))),
    'and',
  )} while you had this open.`;
}
