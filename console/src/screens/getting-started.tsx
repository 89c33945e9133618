import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import { LinkButton } from '../layout/links.ts';
import { Panel } from '../layout/page-header.tsx';
import type { Noun } from '../nouns/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { useMay } from '../session/caller.tsx';
import { useTotal } from './use-total.ts';

const steps: readonly { noun: Noun; title: string; text: string }[] = [
  { noun: nouns.serviceProviders, title: 'Connect a meeting server', text: 'Its address and shared secret.' },
  { noun: nouns.servicePackages, title: 'Put together a package', text: 'A price, features, and the provider.' },
  { noun: nouns.customers, title: 'Add a customer', text: 'Its owner can log in at once.' },
  { noun: nouns.subscriptions, title: 'Sell a subscription', text: 'The package for the customer.' },
  { noun: nouns.accounts, title: 'Open an account', text: 'A place for rooms in the subscription.' },
  { noun: nouns.rooms, title: 'Open the first room', text: 'And send somebody a link to it.' },
];

/** The way from nothing to the first meeting; gone once it has been walked. */
export function GettingStarted() {
  const [isHidden, hide] = useLocalStorage({
    key: 'foyer.getting-started-hidden',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const may = useMay();
  const totals = [
    useTotal(nouns.serviceProviders),
    useTotal(nouns.servicePackages),
    useTotal(nouns.customers),
    useTotal(nouns.subscriptions),
    useTotal(nouns.accounts),
    useTotal(nouns.rooms),
  ];
  const isKnown = steps.every(({ noun }, index) => totals[index] !== null || !may(noun.list));
  const mayDoAll = steps.every(({ noun }) => noun.create !== undefined && may(noun.create));
  const done = totals.filter((total) => (total ?? 0) > 0).length;
  if (isHidden || !isKnown || !mayDoAll || done === steps.length) return null;
  const next = totals.findIndex((total) => total === 0);
  return (
    <Panel
      title="Getting started"
      aside={
        <Group gap="md">
          <Text c="dimmed" fz="sm">
            {done} of {steps.length}
          </Text>
          <Button variant="subtle" color="gray" size="compact-xs" onClick={() => hide(true)}>
            Hide
          </Button>
        </Group>
      }
    >
      <Progress
        value={(done / steps.length) * 100}
        size={4}
        mb="md"
        aria-label={`${done} of ${steps.length} steps done`}
      />
      <Stack gap="sm" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {steps.map((step, index) => {
          const isDone = (totals[index] ?? 0) > 0;
          return (
            <Group component="li" key={step.title} gap="sm" wrap="nowrap">
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
                  variant={index === next ? 'filled' : 'default'}
                >
                  {step.noun.plural}
                </LinkButton>
              )}
            </Group>
          );
        })}
      </Stack>
    </Panel>
  );
}
