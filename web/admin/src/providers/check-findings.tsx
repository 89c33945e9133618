import { Group, Stack, Text } from '@mantine/core';
import type { EndpointAnswer } from '@foyer/sdk';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import type { ReactNode } from 'react';

type CheckResult = EndpointAnswer<'checkServiceProvider'>['data'];

const maxOffsetSeconds = 30;

/** The result of a check. */
export function CheckFindings({ result }: { readonly result: CheckResult }) {
  const offset = result.clock_offset_seconds;
  return (
    <Stack gap="xs" role="status">
      <Finding isGood={result.reachable}>
        {result.reachable ? `The server responded in ${result.latency_ms ?? '?'} ms.` : 'The server does not respond.'}
      </Finding>
      {result.secret_accepted !== null && (
        <Finding isGood={result.secret_accepted}>
          {result.secret_accepted ? 'The server accepts the shared secret.' : 'The server rejects the shared secret.'}
        </Finding>
      )}
      {offset !== null && Math.abs(offset) > maxOffsetSeconds && (
        <Finding isGood={false}>
          The server’s clock is {Math.abs(offset).toLocaleString('en-GB')} seconds {offset > 0 ? 'ahead' : 'behind'}.
        </Finding>
      )}
      {result.api_version && <Text c="dimmed">API version {result.api_version}</Text>}
      {result.problem && <Text c="red">{result.problem}</Text>}
    </Stack>
  );
}

function Finding({ isGood, children }: { readonly isGood: boolean; readonly children: ReactNode }) {
  return (
    <Group gap="xs" wrap="nowrap">
      {isGood ? (
        <IconCircleCheck size={19} color="var(--mantine-color-anchor)" aria-hidden />
      ) : (
        <IconCircleX size={19} color="var(--mantine-color-red-6)" aria-hidden />
      )}
      <Text>{children}</Text>
    </Group>
  );
}
