import { Text } from '@mantine/core';
import { RelativeTime } from '../../../../kit/display/times.tsx';
import { useNow } from '../../../../kit/display/use-now.ts';

/** The validity period; expired and future ones are highlighted. */
export function Validity({ from, until }: { readonly from: string | null; readonly until: string | null }) {
  const nowMs = useNow();
  if (until !== null && Date.parse(until) <= nowMs) {
    return (
      <Text component="span" inherit c="red">
        expired <RelativeTime instant={until} />
      </Text>
    );
  }
  const isYoung = from !== null && Date.parse(from) > nowMs;
  if (isYoung) {
    return (
      <Text component="span" inherit style={{ color: 'var(--mantine-color-orange-light-color)' }}>
        opens <RelativeTime instant={from} />
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

export function Uses({ uses, most }: { readonly uses: number; readonly most: number | null }) {
  if (most === null) return <span>{uses.toLocaleString('en-GB')}</span>;
  return (
    <Text component="span" inherit {...(uses >= most ? { c: 'red' } : {})}>
      {uses.toLocaleString('en-GB')} of {most.toLocaleString('en-GB')}
      {uses >= most && ', used up'}
    </Text>
  );
}
