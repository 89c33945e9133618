import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Version } from '../concurrency/edit-conflict.ts';
import type { Base } from '../concurrency/use-merge.tsx';
import { readVersion, writeIfUnchanged, type WriteTarget } from '../concurrency/write-if-unchanged.ts';
import { changeBody, type FormValues, isSame } from './form-values.ts';
import { useLeaveGuard } from '../dialog/leave-guard.tsx';
import { FailureNotice, LoadingNotice } from '../display/notices/notices.tsx';
import { SideDrawer } from '../dialog/side-drawer.tsx';
import type { FormProps } from './form-props.ts';
import { ResourceForm, type ResourceFormProps } from './resource-form.tsx';

/** A change, the version that it is based on, and its tag for `ifMatch`. */
export interface Edit {
  readonly row: FormValues;
  /** The members of the body that differ from that version. */
  readonly changed: Record<string, unknown>;
  readonly ifMatch: string;
}

type SharedProps = Omit<FormProps & ResourceFormProps, 'stored' | 'shown' | 'valuesOf' | 'onSubmit' | 'onCancel'>;

export interface EditFormProps extends SharedProps {
  readonly target: WriteTarget;
  /** Reads the values of the form from the resource; by default the members of the same name. */
  readonly valuesOf?: (row: FormValues) => FormValues;
  readonly onSave: (values: FormValues, edit: Edit) => Promise<void>;
  /**
   * Closes the drawer. Without it, the form is part of a page: it asks before the page is left, and "Cancel" undoes the
   * changes.
   */
  readonly onCancel?: () => void;
}

/** A form that changes a resource. It reads the resource, and writes only if the resource has not changed since. */
export function EditForm({ target, valuesOf = sameMembers, onSave, onCancel, ...form }: EditFormProps) {
  const result = useQuery({
    queryKey: ['edit', target.read, target.params],
    queryFn: ({ signal }) => readVersion(target, signal),
    gcTime: 0,
  });
  const [shown, setShown] = useState<Version | null>(null);
  const [round, setRound] = useState(0);
  const [isDirty, setDirty] = useState(false);
  const guard = useLeaveGuard(onCancel === undefined && isDirty);
  // A form with input keeps its initial version.
  if (result.data && result.data !== shown && !isDirty && (shown === null || differs(target, shown, result.data))) {
    setShown(result.data);
    setRound(round + 1);
  }
  if (shown === null) {
    if (result.error) return <FailureNotice error={result.error} onRetry={() => void result.refetch()} />;
    return <LoadingNotice />;
  }

  function reset(): void {
    setDirty(false);
    setShown(null);
  }

  async function save(values: FormValues, base: Base) {
    const changed = changeBody(form.fields, base.initial, values);
    await writeIfUnchanged(target, base.version, (ifMatch) =>
      onSave(values, { row: base.version.row, changed, ifMatch }),
    );
    if (onCancel === undefined) reset();
  }

  return (
    <>
      <ResourceForm
        key={round}
        {...form}
        stored={valuesOf(shown.row)}
        shown={shown}
        valuesOf={valuesOf}
        onDirty={setDirty}
        onSubmit={(values, base) => (base === null ? Promise.resolve() : save(values, base))}
        onCancel={onCancel ?? reset}
      />
      {guard.dialog}
    </>
  );
}

export function EditDrawer({
  title,
  isOpen,
  onClose,
  ...form
}: Omit<EditFormProps, 'onCancel'> & {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <SideDrawer title={title} isOpen={isOpen} onClose={onClose}>
      <EditForm {...form} onCancel={onClose} />
    </SideDrawer>
  );
}

function sameMembers(row: FormValues): FormValues {
  return row;
}

function differs({ fields }: WriteTarget, one: Version, other: Version): boolean {
  return fields.some((name) => !isSame(one.row[name], other.row[name]));
}
