import { Badge, Code, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Attempt, outcomeOf } from './delivery-state.ts';

type Outcome = Pick<Attempt, 'status_code' | 'duration_ms' | 'error' | 'response'>;

/** How a request ended: status and duration, the error, and the start of the response. */
export function AttemptOutcome({ attempt, aside }: { readonly attempt: Outcome; readonly aside?: ReactNode }) {
  const { error, response } = attempt;
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Badge variant="light" color={error === null ? 'pine' : 'red'} tt="none" fw={560}>
          {outcomeOf(attempt)}
        </Badge>
        {aside}
      </Group>
      {error !== null && (
        <Text fz="sm" mt={8} style={{ overflowWrap: 'anywhere' }}>
          {error}
        </Text>
      )}
      {response !== null && response !== '' && (
        <Code block mt={8} className="secret" tabIndex={0} aria-label="Response">
          {response}
        </Code>
      )}
    </>
  );
}
