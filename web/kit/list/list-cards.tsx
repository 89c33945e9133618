import { Box, Group, Stack, Text } from '@mantine/core';
import { Waiting } from '../api/waiting.tsx';
import { useNavigate } from '@tanstack/react-router';
import { TitleLink } from './list-table.tsx';
import type { RowsProps } from './rows-props.ts';
import { Cell } from './cell.tsx';

/** Rows as cards for narrow screens, without empty values. */
export function ListCards({ noun, columns, rows, isStale, cells }: RowsProps) {
  const navigate = useNavigate();
  const [title, ...others] = columns;
  const status = others.find(({ name }) => name === 'status' || name === 'state' || name === 'active');
  const rest = others.filter((column) => column !== status);
  if (rows === null || title === undefined) {
    return (
      <Stack p="md">
        <Waiting h={52} />
        <Waiting h={52} />
        <Waiting h={52} />
      </Stack>
    );
  }
  return (
    <Box style={{ opacity: isStale ? 0.6 : 1 }}>
      {rows.map((row) => (
        <div
          key={row.id}
          className="card-row"
          onClick={(event) => {
            if ((event.target as Element).closest('a, button')) return;
            void navigate({ to: '/$noun/$id', params: { noun: noun.path, id: row.id } });
          }}
        >
          <Group justify="space-between" wrap="nowrap" mb={4}>
            <TitleLink noun={noun} row={row} column={title} />
            {status && <Cell cells={cells} column={status} row={row} />}
          </Group>
          {rest
            .filter(({ name }) => !isEmpty(row[name]))
            .map((column) => (
              <Group key={column.name} gap="xs" wrap="nowrap" justify="space-between" fz="sm" mih={26}>
                <Text inherit c="dimmed" style={{ flexShrink: 0 }}>
                  {column.label}
                </Text>
                <Text inherit component="div" truncate ta="right">
                  <Cell cells={cells} column={column} row={row} />
                </Text>
              </Group>
            ))}
        </div>
      ))}
    </Box>
  );
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  const included = (value as { data?: unknown } | null)?.data;
  return value === null || value === '' || (Array.isArray(included) && included.length === 0);
}
