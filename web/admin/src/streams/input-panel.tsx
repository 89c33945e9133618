import { Alert, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { FactList } from '../../../kit/display/facts.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import type { StreamRow } from '../nouns/rows.ts';
import { inputFacts } from './stream-words.ts';

/** Resolution and bitrates of the input, with warnings. */
export function InputPanel({ input }: { readonly input: NonNullable<StreamRow['input']> }) {
  return (
    <Panel title="Input">
      <Stack gap="sm">
        <div role="status" aria-label="Warnings">
          {input.warnings.map(({ code, message }) => (
            <Alert key={code} color="yellow" variant="light" mb="sm" icon={<IconAlertTriangle size={18} />}>
              {message}
            </Alert>
          ))}
        </div>
        <FactList facts={inputFacts(input)} />
      </Stack>
    </Panel>
  );
}
