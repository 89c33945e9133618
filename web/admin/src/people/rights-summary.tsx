import { Badge, Text } from '@mantine/core';
import type { MembershipLevel, Right } from '@foyer/contract/conventions/rights.ts';
import { IconCrown } from '@tabler/icons-react';
import { summaryOf } from './rights.ts';

interface Props {
  readonly level: MembershipLevel;
  readonly isOwner: boolean;
  readonly rights: readonly Right[];
}

/** The rights of a membership in a few words. */
export function RightsSummary({ level, isOwner, rights }: Props) {
  if (isOwner) {
    return (
      <Badge variant="light" color="pine" tt="none" fw={560} leftSection={<IconCrown size={12} aria-hidden />}>
        Owner
      </Badge>
    );
  }
  const lines = summaryOf(level, rights);
  if (lines.length === 0) {
    return (
      <Text fz="sm" c="dimmed" inherit>
        No rights
      </Text>
    );
  }
  return (
    <Text fz="sm" component="div" style={{ whiteSpace: 'normal' }}>
      {lines.map(({ label, words }, index) => (
        <span key={label}>
          {index > 0 && ' · '}
          {label}:{' '}
          <Text component="span" inherit c="dimmed">
            {words}
          </Text>
        </span>
      ))}
    </Text>
  );
}
