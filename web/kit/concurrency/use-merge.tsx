import { type ReactNode, useState } from 'react';
import type { FormValues } from '../form/form-values.ts';
import { EditConflict, type Version } from './edit-conflict.ts';
import { changedFields, type ChangedField, chooseSide, keyOfPath, mergeUntouched, type Side } from './merge.ts';
import { MergePanel } from './merge-panel.tsx';

interface Options {
  /** The initial values of the form; null for a form that creates. */
  readonly shown: Version | null;
  /** Reads the values of the form from a version of the resource. */
  readonly valuesOf: (row: FormValues) => FormValues;
  readonly values: FormValues;
  readonly onValues: (values: FormValues) => void;
  readonly labelOf: (path: readonly string[]) => string;
  readonly valueOf: (path: readonly string[], value: unknown) => ReactNode;
}

/** The version that a write is based on, and its values in the form. */
export interface Base {
  readonly version: Version;
  readonly initial: FormValues;
}

export interface Merge {
  readonly base: Base | null;
  /** Whether a conflict is unresolved; if so, the panel marks it. */
  readonly requireChoices: () => boolean;
  /** Submits the form. After a conflict it shows the differences, or submits again if nothing conflicts. */
  readonly submit: (send: (base: Base | null) => Promise<void>) => Promise<void>;
  readonly panel: ReactNode;
  /** Increases whenever the merge has replaced values of the form. */
  readonly round: number;
}

/** Three-way merge of a form after another person has changed its resource. */
export function useMerge({ shown, valuesOf, values, onValues, ...labels }: Options): Merge {
  const [base, setBase] = useState<Base | null>(() => shown && { version: shown, initial: valuesOf(shown.row) });
  const [changed, setChanged] = useState<readonly ChangedField[]>([]);
  const [choices, setChoices] = useState<Readonly<Record<string, Side>>>({});
  const [isAsking, setAsking] = useState(false);
  const [round, setRound] = useState(0);
  const undecided = changed.filter(({ path }) => choices[keyOfPath(path)] === undefined);

  async function submit(send: (base: Base | null) => Promise<void>): Promise<void> {
    let current = base;
    for (;;) {
      try {
        return await send(current);
      } catch (error) {
        if (!(error instanceof EditConflict) || current === null) throw error;
        const next = handleConflict(error, current);
        if (next === null) return;
        current = next;
      }
    }
  }

  /** @returns the new base if there is nothing to merge, else null */
  function handleConflict(error: EditConflict, old: Base): Base | null {
    const theirs = valuesOf(error.stored.row);
    const names = [...new Set([...Object.keys(old.initial), ...Object.keys(theirs)])];
    const changes = changedFields(names, { before: old.initial, theirs, mine: values });
    const next = { version: error.stored, initial: theirs };
    setBase(next);
    setChanged(changes);
    setChoices(
      Object.fromEntries(changes.flatMap(({ path, isConflict }) => (isConflict ? [] : [[keyOfPath(path), 'theirs']]))),
    );
    setAsking(false);
    onValues(mergeUntouched(values, changes));
    setRound((before) => before + 1);
    return changes.length === 0 ? next : null;
  }

  function choose(field: ChangedField, side: Side): void {
    setChoices({ ...choices, [keyOfPath(field.path)]: side });
    onValues(chooseSide(values, field, side));
    setRound((before) => before + 1);
  }

  return {
    base,
    round,
    requireChoices() {
      setAsking(undecided.length > 0);
      return undecided.length > 0;
    },
    submit,
    panel: changed.length > 0 && (
      <MergePanel
        key={base?.version.etag}
        {...labels}
        changed={changed}
        choices={choices}
        isAsking={isAsking}
        onChoose={choose}
      />
    ),
  };
}
