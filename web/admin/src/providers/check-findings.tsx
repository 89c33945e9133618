import { Group, Stack, Text } from '@mantine/core';
import type { EndpointAnswer } from '@foyer/sdk';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import type { ReactNode } from 'react';

type CheckResult = EndpointAnswer<'checkServiceProvider'>['data'];

const maxOffsetSeconds = 30;

/** The result of a check. */
export function CheckFindings({ found }: { readonly found: CheckResult }) {
  const offset = found.clock_offset_seconds;
  return (
    <Stack gap="xs" role="status">
      <Finding isGood={found.reachable}>
        {found.reachable ? `It responds, in ${found.latency_ms ?? '?'} ms.` : 'It does not respond.'}
      </Finding>
      {found.secret_accepted !== null && (
        <Finding isGood={found.secret_accepted}>
          {found.secret_accepted ? 'It accepts the shared secret.' : 'It rejects the shared secret.'}
        </Finding>
      )}
      {offset !== null && Math.abs(offset) > maxOffsetSeconds && (
        <Finding isGood={false}>
          Its clock is {Math.abs(offset).toLocaleString('en-GB')} seconds {offset > 0 ? 'ahead' : 'behind'}.
        </Finding>
      )}
      {found.api_version && <Text c="dimmed">API version {found.api_version}</Text>}
      {found.problem && <Text c="red">{found.problem}</Text>}
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
