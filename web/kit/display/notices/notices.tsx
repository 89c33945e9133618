import { Alert, Button, Center, EmptyState, Loader, Stack, Text } from '@mantine/core';
import { IconAlertCircle, IconInbox } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useIsReachable } from '../../api/reachability.ts';
import { listOf, moveLabel } from '../../format/label.ts';
import { allowedMovesOf, describeFailure } from '../../api/client.ts';

export function LoadingNotice() {
  const isReachable = useIsReachable();
  return (
    <Center mih="40vh" role="status" {...(isReachable ? { 'aria-label': 'Loading' } : {})}>
      {isReachable ? <Loader size="sm" type="dots" /> : <Text c="dimmed">Not loaded</Text>}
    </Center>
  );
}

export function FailureNotice({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  return (
    <Center p="xl" role="alert">
      <Stack align="center" gap="xs" maw={420}>
        <IconAlertCircle size={28} stroke={1.5} color="var(--mantine-color-red-6)" />
        <Text ta="center">{describeFailure(error)}</Text>
        {onRetry && (
          <Button variant="default" size="xs" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Center>
  );
}

/** Shows an error of the API where the action was taken. */
export function RefusalAlert({ error, help }: { readonly error: unknown; readonly help?: ReactNode }) {
  if (!error) return null;
  return (
    <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
      {describeFailure(error)}
      <AllowedMoves error={error} />
      {help}
    </Alert>
  );
}

/** The actions that the current state allows. */
export function AllowedMoves({ error }: { readonly error: unknown }) {
  const moves = allowedMovesOf(error);
  if (moves.length === 0) return null;
  return (
    <Text inherit mt={4}>
      Possible now: {listOf(moves.map((move) => `“${moveLabel(move)}”`))}.
    </Text>
  );
}

/** Takes the place of content: an empty list, a missing screen or a failed load. */
export function Placeholder(props: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly icon?: ReactNode;
  readonly action?: ReactNode;
  /** Whether the notice is the only content of the page; its text is then the page title. */
  readonly isPage?: boolean;
}) {
  return (
    <EmptyState
      py="xl"
      px="md"
      size="sm"
      title={props.isPage ? <h1 className="plain-heading">{props.title}</h1> : props.title}
      description={props.children}
      icon={props.icon ?? <IconInbox stroke={1.4} />}
      withIndicatorBackground
    >
      {props.action && <EmptyState.Actions>{props.action}</EmptyState.Actions>}
    </EmptyState>
  );
}
