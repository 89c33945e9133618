import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Logo } from '../shell/logo.tsx';

/** The frame of the sign-in pages: the logo and one panel. */
export function SignInFrame(props: {
  readonly title: string;
  readonly summary: ReactNode;
  readonly width?: number;
  readonly foot?: ReactNode;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${props.title} · Foyer`;
  }, [props.title]);
  return (
    <Center mih="100dvh" p="md" component="main">
      <Stack w="100%" maw={props.width ?? 400} gap="lg" py="xl">
        <Stack gap={10} align="center">
          <Logo size={48} />
          <Title order={1} ta="center">
            {props.title}
          </Title>
          <Text c="dimmed" ta="center" component="div" style={{ textWrap: 'balance' }}>
            {props.summary}
          </Text>
        </Stack>
        <Paper className="panel" p={{ base: 'lg', xs: 'xl' }}>
          {props.children}
        </Paper>
        {props.foot && (
          <Text component="div" fz="sm" c="dimmed" ta="center">
            {props.foot}
          </Text>
        )}
      </Stack>
    </Center>
  );
}
