import { Alert, Button, Group, List, Text } from '@mantine/core';
import { features } from '@foyer/contract/resources/packages/features.ts';
import { IconAlertCircle } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import type { Row } from '../../../kit/noun/noun.ts';
import type { ServicePackageRow } from '../nouns/rows.ts';

interface Step {
  readonly tab: 'features' | 'providers';
  readonly label: string;
  readonly text: string;
  /** Whether it is required for any sale. */
  readonly isNeeded: boolean;
}

/** Whether the package itself allows a subscription. */
export function hasActiveProvider(row: ServicePackageRow): boolean {
  return related(row, 'providers').some((provider) => provider['active'] === true);
}

/** Checklist before a package is sold. */
export function PackageReadiness({ row }: { readonly row: ServicePackageRow }) {
  const navigate = useNavigate();
  const steps = stepsOf(row);
  if (steps.length === 0 || row.retired) return null;
  const isSellable = !steps.some(({ isNeeded }) => isNeeded);
  return (
    <Alert
      color={isSellable ? 'blue' : 'yellow'}
      variant="light"
      mb="lg"
      icon={<IconAlertCircle size={18} />}
      title={isSellable ? 'Before you sell it' : 'Not sellable yet'}
    >
      <List size="sm" spacing={8} listStyleType="none">
        {steps.map(({ tab, label, text }) => (
          <List.Item key={text} styles={{ itemWrapper: { width: '100%' }, itemLabel: { width: '100%' } }}>
            <Group justify="space-between" gap="xs">
              <Text inherit style={{ flex: '1 1 260px' }}>
                {text}
              </Text>
              <Button
                size="xs"
                variant="default"
                onClick={() => void navigate({ to: '.', search: { tab }, replace: true })}
              >
                {label}
              </Button>
            </Group>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function stepsOf(row: ServicePackageRow): Step[] {
  const sold = new Map(related(row, 'features').map((feature) => [feature['tag'], feature['value']]));
  const isOn = ({ code, valueType }: (typeof features)[number]) =>
    valueType === 'flag' && !notMeetingFeatures.has(code) && sold.get(code) === 'true';
  const lacks = ['max_accounts', 'max_rooms'].filter((code) => !sold.has(code));
  return [
    ...(hasActiveProvider(row)
      ? []
      : [
          {
            tab: 'providers' as const,
            label: 'Add a provider',
            text: 'No active provider is attached, so meetings can’t start.',
            isNeeded: true,
          },
        ]),
    ...(lacks.length === 0
      ? []
      : [
          {
            tab: 'features' as const,
            label: 'Add features',
            text:
              lacks.length === 2
                ? 'It allows no accounts and no rooms, so buyers cannot create any.'
                : `It allows no ${lacks[0] === 'max_rooms' ? 'rooms' : 'accounts'}, so buyers cannot create any.`,
            isNeeded: false,
          },
        ]),
    ...(row.service_type !== 'meet' || features.some(isOn)
      ? []
      : [
          {
            tab: 'features' as const,
            label: 'Switch on features',
            text: 'All meeting features are off: participants only have audio.',
            isNeeded: false,
          },
        ]),
  ];
}

/** Flags that do not affect meetings. */
const notMeetingFeatures: ReadonlySet<string> = new Set([
  'guest_access',
  'allow_create_account',
  'allow_delete_account',
]);

function related(row: ServicePackageRow, name: string): readonly Row[] {
  return (row[name] as { data?: readonly Row[] } | undefined)?.data ?? [];
}
