import { Alert, List } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { FoyerError } from '@foyer/sdk';
import type { ReactNode } from 'react';
import { withFieldLabels } from '../format/sentences.ts';
import { RefusalAlert } from '../display/notices/notices.tsx';
import { allowedMovesOf } from '../api/client.ts';

interface Props {
  readonly failure: unknown;
  /** Whether the form's own checks failed. */
  readonly hasClientFaults?: boolean;
  /** Errors that belong to no field. */
  readonly otherErrors: readonly string[];
  /** Help after an error. */
  readonly help?: ReactNode;
}

/** Errors of the whole form; errors of fields appear at the fields. */
export function FormFaults({ failure, hasClientFaults = false, otherErrors, help }: Props) {
  if (!failure && !hasClientFaults) return null;
  const isAboutFields =
    hasClientFaults ||
    (failure instanceof FoyerError && Object.keys(failure.errors).length > 0 && allowedMovesOf(failure).length === 0);
  if (!isAboutFields) return <RefusalAlert error={failure} help={help} />;
  return (
    <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
      {otherErrors.length === 0 ? (
        'Some fields are not valid. Correct the fields marked below, then try again.'
      ) : (
        <Sentences lines={otherErrors.map((line) => withFieldLabels(line))} />
      )}
      {help}
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
