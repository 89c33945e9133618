import { Alert } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { RecordingRow } from '../nouns/rows.ts';

/** Explains that the provider has not applied a change yet. */
export function PendingNotice({ row }: { readonly row: RecordingRow }): ReactNode {
  if (!row.changes_pending) return null;
  return (
    <Alert color="orange" variant="light" icon={<IconRefresh size={18} />} mb="lg" title="Waiting for the provider">
      The change already applies here. The provider has not applied it yet; the request is repeated automatically.
    </Alert>
  );
}
