import { Badge, Group, Text } from '@mantine/core';
import { lowered, wordOf } from '../../../kit/format/label.ts';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { text } from '../../../kit/noun/noun.ts';
import type { CustomerRow } from '../nouns/rows.ts';

/** The status in lists, with a badge for resellers. */
export function CustomerStatusInList({ row }: { readonly row: CustomerRow }) {
  return (
    <Group gap={6} className="badges" component="span" display="inline-flex">
      <CustomerStatus row={row} />
      {row.is_reseller && (
        <Badge variant="default" tt="none" fw={560}>
          Reseller
        </Badge>
      )}
    </Group>
  );
}

/** The status of a customer and its effective status. */
export function CustomerStatus({ row }: { readonly row: CustomerRow }) {
  const effectiveStatus = text(row, 'effective_status');
  return (
    <Group gap={6} className="badges" component="span" display="inline-flex">
      <StatusBadge value={text(row, 'status')} />
      {effectiveStatus !== '' && effectiveStatus !== row.status && (
        <Text span fz="xs" c="dimmed" style={{ whiteSpace: 'normal' }}>
          counts as {lowered(wordOf(effectiveStatus))}
        </Text>
      )}
    </Group>
  );
}
