import { Text } from '@mantine/core';
import { RelativeTime, useNow } from '../layout/times.tsx';

export function Expiry({ at }: { readonly at: string | null }) {
  const nowMs = useNow();
  if (at === null) return <Text c="dimmed">never</Text>;
  const isPast = Date.parse(at) <= nowMs;
  return (
    <Text component="span" {...(isPast ? { c: 'red' } : {})}>
      {isPast && 'expired '}
      <RelativeTime instant={at} />
    </Text>
  );
}

export function LastUse({ at }: { readonly at: string | null }) {
  return at === null ? <Text c="dimmed">not yet</Text> : <RelativeTime instant={at} />;
}
