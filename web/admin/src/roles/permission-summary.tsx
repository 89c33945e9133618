import { Text } from '@mantine/core';
import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import { matrixSections, permissionsOf, verbOf } from './permission-rows.ts';

/** Permissions in a few words: "Customers: read, create. Rooms: all." */
export function PermissionSummary({ names }: { readonly names: readonly PermissionName[] }) {
  const lines = matrixSections()
    .flatMap(({ rows }) => rows)
    .flatMap((row) => {
      const all = permissionsOf(row);
      const selected = all.filter((name) => names.includes(name));
      if (selected.length === 0) return [];
      const isAll = selected.length === all.length && all.length > 1;
      return [
        { label: row.label, verbs: isAll ? 'all' : selected.map((name) => verbOf(name).toLowerCase()).join(', ') },
      ];
    });
  if (lines.length === 0) {
    return (
      <Text fz="sm" c="dimmed">
        Nothing.
      </Text>
    );
  }
  return (
    <Text fz="sm" c="dimmed" component="div">
      {lines.map(({ label, verbs }, index) => (
        <span key={label}>
          {index > 0 && ' · '}
          <Text component="span" inherit c="var(--mantine-color-text)">
            {label}
          </Text>{' '}
          {verbs}
        </span>
      ))}
    </Text>
  );
}
