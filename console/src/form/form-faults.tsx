import { Alert, List } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { FoyerError } from '@foyer/sdk';
import { RefusalAlert } from '../layout/notices.tsx';
import { allowedMovesOf } from '../platform.ts';

/** What went wrong as a whole; faults of fields stand at the fields. */
export function FormFaults({ failure, stray }: { readonly failure: unknown; readonly stray: readonly string[] }) {
  if (!failure) return null;
  const isAboutFields =
    failure instanceof FoyerError && Object.keys(failure.errors).length > 0 && allowedMovesOf(failure).length === 0;
  if (!isAboutFields) return <RefusalAlert error={failure} />;
  return (
    <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
      {stray.length === 0 ? 'Some of this is not right yet. See the fields marked below.' : <Sentences lines={stray} />}
    </Alert>
  );
}

function Sentences({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 1) return <>{lines[0]}</>;
  return (
    <List size="sm">
      {lines.map((line) => (
        <List.Item key={line}>{line}</List.Item>
      ))}
    </List>
  );
}
