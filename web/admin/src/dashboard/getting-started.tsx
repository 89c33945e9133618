import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { LinkButton } from '../../../kit/display/links.ts';
import { Panel } from '../../../kit/display/page-header.tsx';
import type { Noun, Row } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { callEndpoint } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { isDemonstration } from './demonstration.ts';
import type { RoomRow } from '../nouns/rows.ts';

interface Step {
  readonly noun: Noun;
  readonly title: string;
  readonly text: string;
}

const steps: readonly Step[] = [
  { noun: nouns.serviceProviders, title: 'Add a meeting server', text: 'Enter its address and shared secret.' },
  {
    noun: nouns.servicePackages,
    title: 'Create a service package',
    text: 'Set a price and features, and add a provider.',
  },
  { noun: nouns.customers, title: 'Add a customer', text: 'Its owner can sign in right away.' },
  { noun: nouns.subscriptions, title: 'Sell a subscription', text: 'Assign the package to the customer.' },
  { noun: nouns.accounts, title: 'Create an account', text: 'Accounts group the rooms of a subscription.' },
  { noun: nouns.rooms, title: 'Create a room', text: 'Then send someone a link to it.' },
];

/** Steps to the first meeting. Demonstration data does not count. */
export function GettingStarted() {
  const [isHidden, hide] = useLocalStorage({
    key: 'foyer.getting-started-hidden',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const may = useMay();
  const mayDoAll = steps.every(({ noun }) => may(noun.list) && noun.create !== undefined && may(noun.create));
  const rows = useNewestRows(!isHidden && mayDoAll);
  if (isHidden || !mayDoAll || rows === null) return null;
  const isDone = rows.map((rowsOfStep) => rowsOfStep.some((row) => !isDemonstration(row)));
  const doneCount = isDone.filter(Boolean).length;
  if (doneCount === steps.length) return null;
  const next = isDone.indexOf(false);
  const demoRooms = rows.at(-1)?.filter(isDemonstration) ?? [];
  const demoRoom = demoRooms.find(({ room_type }) => room_type === 'meet') ?? demoRooms[0];
  return (
    <Panel
      title="Getting started"
      aside={
        <Group gap="md">
          <Text c="dimmed" fz="sm">
            {doneCount} of {steps.length}
          </Text>
          <Button variant="subtle" color="gray" size="compact-xs" onClick={() => hide(true)}>
            Hide
          </Button>
        </Group>
      }
    >
      {demoRoom && (
        <Text mb="sm">
          A demonstration is ready: try the room{' '}
          <Link to="/$noun/$id" params={{ noun: 'rooms', id: demoRoom.id }} className="link">
            {nouns.rooms.titleOf(demoRoom as RoomRow)}
          </Link>
          . Then set up your own in six steps.
        </Text>
      )}
      <Progress
        value={(doneCount / steps.length) * 100}
        size={4}
        mb="md"
        aria-label={`${doneCount} of ${steps.length} steps done`}
      />
      <Stack gap="sm" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {steps.map((step, index) => (
          <StepLine key={step.title} step={step} isDone={isDone[index] === true} isNext={index === next} />
        ))}
      </Stack>
    </Panel>
  );
}

function StepLine(props: { readonly step: Step; readonly isDone: boolean; readonly isNext: boolean }) {
  const { step, isDone } = props;
  return (
    <Group component="li" gap="sm" wrap="nowrap">
      {isDone ? (
        <IconCircleCheckFilled size={20} color="var(--mantine-color-pine-6)" aria-label="Done" />
      ) : (
        <IconCircle size={20} stroke={1.4} color="var(--mantine-color-dimmed)" aria-label="To do" />
      )}
      <Text style={{ flex: 1 }} {...(isDone ? { c: 'dimmed' } : {})}>
        {step.title}
        <Text span c="dimmed" fz="sm" visibleFrom="xs">
          {' '}
          · {step.text}
        </Text>
      </Text>
      {!isDone && (
        <LinkButton
          to="/$noun"
          params={{ noun: step.noun.path }}
          size="compact-sm"
          variant={props.isNext ? 'filled' : 'default'}
        >
          {step.noun.plural}
        </LinkButton>
      )}
    </Group>
  );
}

/** How many rows are read for each step. More than the demonstration has, so that other rows are among them. */
const maxRows = 20;

function useNewestRows(isEnabled: boolean): readonly (readonly Row[])[] | null {
  return useQueries({
    queries: steps.map(({ noun }) => ({
      queryKey: ['getting-started', noun.list],
      enabled: isEnabled,
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Row[]> => {
        const isOfCustomer = noun === nouns.subscriptions || noun === nouns.accounts;
        const query = { limit: maxRows, count: false, ...(isOfCustomer ? { include: 'customer' } : {}) };
        return ((await callEndpoint(noun.list, { query, signal })) as { data: Row[] }).data;
      },
    })),
    combine: (rowsOfStep) => {
      const rows = rowsOfStep.flatMap(({ data }) => (data === undefined ? [] : [data]));
      return rows.length === steps.length ? rows : null;
    },
  });
}
