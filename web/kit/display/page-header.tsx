import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

export function PageHeader(props: {
  readonly title: string;
  readonly summary?: ReactNode;
  readonly above?: ReactNode;
  readonly badges?: ReactNode;
  readonly actions?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${props.title} · Foyer`;
  }, [props.title]);
  return (
    <Box component="header" mb="lg">
      {props.above}
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={4} style={{ flex: '1 1 220px', minWidth: 0 }}>
          <Group gap="sm">
            <Title order={1} style={{ overflowWrap: 'anywhere' }}>
              {props.title}
            </Title>
            {props.badges}
          </Group>
          {props.summary && (
            <Text c="dimmed" component="div">
              {props.summary}
            </Text>
          )}
        </Stack>
        {props.actions && (
          <Group gap="xs" className="page-actions">
            {props.actions}
          </Group>
        )}
      </Group>
    </Box>
  );
}

export function Panel(props: {
  readonly title?: ReactNode;
  readonly aside?: ReactNode;
  readonly flush?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <section className="panel">
      {props.title && (
        <div className="panel-head">
          <Title order={2}>{props.title}</Title>
          {props.aside}
        </div>
      )}
      <div {...(props.flush ? {} : { className: 'panel-body' })}>{props.children}</div>
    </section>
  );
}
