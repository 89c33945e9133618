import { Group, Progress, Text } from '@mantine/core';
import { percentOf } from '../../../kit/format/lengths.ts';

/** The used amount, and its share of the limit if there is one. */
export function CapacityUse(props: {
  readonly label: string;
  readonly used: number | null;
  readonly limit: number | null;
  /** The text while `used` is unknown. */
  readonly uncounted?: string;
}) {
  const { label, used, limit, uncounted = 'not counted yet' } = props;
  if (used === null) {
    return (
      <Text component="span" inherit c="dimmed">
        {uncounted}
      </Text>
    );
  }
  if (limit === null) return <span>{used.toLocaleString('en-GB')}</span>;
  return (
    <Group gap={8} wrap="nowrap" component="span" display="inline-flex">
      <span>
        {used.toLocaleString('en-GB')} of {limit.toLocaleString('en-GB')}
      </span>
      <Progress
        w={56}
        size="sm"
        value={percentOf(used, limit)}
        color={used >= limit ? 'red' : used / limit > 0.8 ? 'yellow' : 'pine'}
        aria-label={`${label}: ${used} of ${limit}`}
      />
    </Group>
  );
}
