import type { RecordingProblem } from '@foyer/contract/resources/meetings/recording.ts';
import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { RecordingRow } from '../nouns/rows.ts';

/** Warns that the recording ended before its broadcast. */
export function ProblemNotice({ row: { problem } }: { readonly row: RecordingRow }): ReactNode {
  if (problem === null) return null;
  return (
    <Alert
      color="orange"
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      mb="lg"
      title="Part of the broadcast is missing"
    >
      {sentences[problem]} If the disk had space again during the broadcast, the rest is in another recording.
    </Alert>
  );
}

const sentences: Readonly<Record<RecordingProblem, string>> = {
  'disk-full': 'The recording stopped because the disk of the media server was almost full.',
  'disk-slow': 'The recording stopped because the disk of the media server was too slow.',
  'disk-error': 'The recording stopped because the disk of the media server had an error.',
};
