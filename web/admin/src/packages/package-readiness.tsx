import { Alert, Button, Group, List, Text } from '@mantine/core';
import { features } from '@foyer/contract/resources/packages/features.ts';
import type { ServiceType } from '@foyer/contract/resources/providers/provider-types.ts';
import { IconAlertCircle } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { lowered } from '../../../kit/format/label.ts';
import { toText } from '../../../kit/format/to-text.ts';
import type { Row } from '../../../kit/noun/noun.ts';
import type { ServicePackageRow } from '../nouns/rows.ts';
import { missingLimits } from './missing-limits.ts';

interface Step {
  readonly tab: 'features' | 'providers';
  readonly label: string;
  readonly text: string;
  /** Whether the package cannot be sold without it. */
  readonly isRequired: boolean;
}

/** A package can be sold only if it has an active provider. */
export function hasActiveProvider(row: ServicePackageRow): boolean {
  return related(row, 'providers').some((provider) => provider['active'] === true);
}

/** A checklist of what the package still lacks before it is sold. */
export function PackageReadiness({ row }: { readonly row: ServicePackageRow }) {
  const navigate = useNavigate();
  const steps = stepsOf(row);
  if (steps.length === 0 || row.retired) return null;
  const isSellable = !steps.some(({ isRequired }) => isRequired);
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
  const featureValues = new Map(
    related(row, 'features').map((feature) => [toText(feature['tag']), toText(feature['value'])]),
  );
  const isOn = ({ code, valueType }: (typeof features)[number]) =>
    valueType === 'flag' && !notMeetingFeatures.has(code) && featureValues.get(code) === 'true';
  const missing = missingLimits(row.service_type, featureValues).map(lowered);
  return [
    ...(hasActiveProvider(row)
      ? []
      : [
          {
            tab: 'providers' as const,
            label: 'Add a provider',
            text: `No active provider is attached, so ${withoutProvider[row.service_type]}.`,
            isRequired: true,
          },
        ]),
    ...(missing.length === 0
      ? []
      : [
          {
            tab: 'features' as const,
            label: 'Add features',
            text: `The package allows no ${alternatives.format(missing)}, so customers can’t use it.`,
            isRequired: false,
          },
        ]),
    ...(row.service_type !== 'meet' || features.some(isOn)
      ? []
      : [
          {
            tab: 'features' as const,
            label: 'Switch on features',
            text: 'All meeting features are off: participants only have audio.',
            isRequired: false,
          },
        ]),
  ];
}

const withoutProvider: Readonly<Record<ServiceType, string>> = {
  meet: 'meetings can’t start',
  video: 'videos can’t be uploaded',
  live: 'rooms can’t broadcast',
  simulcast: 'rooms can’t broadcast',
};
const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** Flags that do not affect meetings. */
const notMeetingFeatures: ReadonlySet<string> = new Set([
  'guest_access',
  'allow_create_account',
  'allow_delete_account',
]);

function related(row: ServicePackageRow, name: string): readonly Row[] {
  return (row[name] as { data?: readonly Row[] } | undefined)?.data ?? [];
}
