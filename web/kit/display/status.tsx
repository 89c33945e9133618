import { Badge, type MantineColor } from '@mantine/core';
import { wordOf } from '../format/label.ts';

const colors: Readonly<Record<string, MantineColor>> = {
  active: 'pine',
  inactive: 'gray',
  canceled: 'orange',
  suspended: 'yellow',
  terminated: 'red',
  scheduled: 'blue',
  done: 'pine',
  failed: 'red',
  withdrawn: 'gray',
  upgrade: 'pine',
  downgrade: 'orange',
  hidden: 'yellow',
  retired: 'orange',
  moderator: 'pine',
  attendee: 'blue',
  guest: 'gray',
  opening: 'blue',
  ended: 'gray',
  processing: 'blue',
  processed: 'yellow',
  published: 'pine',
  unpublished: 'gray',
  'awaiting-upload': 'gray',
  uploading: 'blue',
  queued: 'blue',
  ready: 'pine',
  healthy: 'pine',
  degraded: 'yellow',
  down: 'red',
  unknown: 'gray',
  draining: 'orange',
  failing: 'yellow',
  disabled: 'red',
  pending: 'blue',
  delivered: 'pine',
  sent: 'pine',
  kept: 'yellow',
};

export function StatusBadge({ value }: { readonly value: string }) {
  return (
    <Badge variant="light" color={colors[value] ?? 'gray'} tt="none" fw={560} size="md">
      {wordOf(value)}
    </Badge>
  );
}

export function isStatusLike(name: string): boolean {
  return name === 'status' || name === 'effective_status' || name === 'role';
}
