import { Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Panel } from '../../../kit/display/page-header.tsx';
import { StatusBadge } from '../../../kit/display/status.tsx';
import type { Noun, Row } from '../../../kit/noun/noun.ts';
import { useMay } from '../../../kit/noun/app.tsx';

/** Included resources as links. */
export function IncludedLinks(props: { readonly noun: Noun; readonly title: string; readonly included: unknown }) {
  const may = useMay();
  const rows = (props.included as { data?: readonly Row[] } | undefined)?.data ?? [];
  if (rows.length === 0 || !may(props.noun.read)) return null;
  return (
    <Panel title={props.title} aside={<Text c="dimmed">{rows.length}</Text>}>
      <Stack gap="sm">
        {rows.slice(0, 50).map((row) => (
          <Group key={row.id} justify="space-between" wrap="nowrap">
            <div style={{ minWidth: 0 }}>
              <Link to="/$noun/$id" params={{ noun: props.noun.path, id: row.id }} className="link">
                {props.noun.titleOf(row)}
              </Link>
              <Text fz="sm" c="dimmed" truncate>
                {props.noun.detailOf(row)}
              </Text>
            </div>
            {typeof row.status === 'string' && <StatusBadge value={row.status} />}
          </Group>
        ))}
      </Stack>
    </Panel>
  );
}
