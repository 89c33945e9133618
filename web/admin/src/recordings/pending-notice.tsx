import { Alert } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { RecordingRow } from '../nouns/rows.ts';

/** What was changed here, and not at the provider yet. */
export function PendingNotice({ row }: { readonly row: RecordingRow }): ReactNode {
  if (!row.changes_pending) return null;
  return (
    <Alert
      color="orange"
      variant="light"
      icon={<IconRefresh size={18} />}
      mb="lg"
      title="Its provider has still to follow"
    >
      What was changed holds here already. The provider has not carried it out yet: it is asked again, by itself, until
      it has.
    </Alert>
  );
}
