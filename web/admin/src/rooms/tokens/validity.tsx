import { Text } from '@mantine/core';
import { RelativeTime } from '../../../../kit/display/times.tsx';
import { useNow } from '../../../../kit/display/use-now.ts';

/** The validity of a token. Expired and future tokens are highlighted. */
export function Validity({ from, until }: { readonly from: string | null; readonly until: string | null }) {
  const nowMs = useNow();
  if (until !== null && Date.parse(until) <= nowMs) {
    return (
      <Text component="span" inherit c="red">
        expired <RelativeTime instant={until} />
      </Text>
    );
  }
  const isFuture = from !== null && Date.parse(from) > nowMs;
  if (isFuture) {
    return (
      <Text component="span" inherit style={{ color: 'var(--mantine-color-orange-light-color)' }}>
        starts <RelativeTime instant={from} />
      </Text>
    );
  }
  if (until === null) {
    return (
      <Text component="span" inherit c="dimmed">
        always
      </Text>
    );
  }
  return (
    <span>
      ends <RelativeTime instant={until} />
    </span>
  );
}

export function Uses({ uses, maxUses }: { readonly uses: number; readonly maxUses: number | null }) {
  if (maxUses === null) return <span>{uses.toLocaleString('en-GB')}</span>;
  return (
    <Text component="span" inherit {...(uses >= maxUses ? { c: 'red' } : {})}>
      {uses.toLocaleString('en-GB')} of {maxUses.toLocaleString('en-GB')}
      {uses >= maxUses && ', used up'}
    </Text>
  );
}
