import { Alert, Text } from '@mantine/core';
import { IconClockOff } from '@tabler/icons-react';
import type { FormValues } from '../../../../kit/form/form-values.ts';
import { toText } from '../../../../kit/format/to-text.ts';
import { RelativeTime } from '../../../../kit/display/times.tsx';
import { useNow } from '../../../../kit/display/use-now.ts';

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

/** Warns about an expiry in the past. */
export function PastExpiryWarning({ values }: { readonly values: FormValues }) {
  const nowMs = useNow();
  const at = Date.parse(toText(values['expires_at']));
  if (!(at <= nowMs)) return null;
  return (
    <Alert color="yellow" variant="light" icon={<IconClockOff size={18} />} role="status">
      The time in “Expires” is in the past. Choose a later time.
    </Alert>
  );
}

export function LastUse({ at }: { readonly at: string | null }) {
  return at === null ? <Text c="dimmed">not yet</Text> : <RelativeTime instant={at} />;
}
