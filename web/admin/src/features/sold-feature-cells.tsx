import { Badge, Box, Group, Progress, Text } from '@mantine/core';
import {
  absentValueText,
  featureValueText,
  featureValueInSentence,
  isCounted,
  usedShare,
} from '../../../kit/format/feature-values.ts';
import { intervalText } from '../../../kit/format/label.ts';
import { Day } from '../../../kit/display/times.tsx';
import type { SoldFeature } from './sold-feature.ts';

export function showsUsage({ tag, usage }: SoldFeature): boolean {
  return isCounted(tag) || (usage?.data.handed_down ?? 0) > 0;
}

/** The default value of a feature that is not set. */
export function AbsentValue({ code }: { readonly code: string }) {
  return (
    <Box>
      <Text c="dimmed">{absentValueText(code)}</Text>
      <Text fz="xs" c="dimmed">
        not set
      </Text>
    </Box>
  );
}

export function SoldValue({ row, showsOrigin }: { readonly row: SoldFeature; readonly showsOrigin: boolean }) {
  const isOff = row.value === 'false';
  return (
    <Box>
      <Group gap={6} wrap="nowrap">
        <Text {...(isOff ? { c: 'dimmed' } : {})}>{featureValueText(row.tag, row.value)}</Text>
        {showsOrigin && row.package_feature_id === null && (
          <Badge size="sm" variant="default" tt="none">
            added manually
          </Badge>
        )}
      </Group>
      {row.resettable_period > 0 && (
        <Text fz="xs" c="dimmed">
          resets every {intervalText(row.resettable_period, row.resettable_interval)}
        </Text>
      )}
    </Box>
  );
}

/** Used and resold parts of a limit, as text and bar. */
export function Usage({ row }: { readonly row: SoldFeature }) {
  const { used = 0, handed_down: resold = 0, valid_until: until = null } = row.usage?.data ?? {};
  const share = usedShare(row.value, used + resold);
  const percent = Math.round((share ?? 0) * 100);
  const color = percent >= 100 ? 'red' : percent >= 80 ? 'orange' : 'pine';
  const usedPercent = used + resold === 0 ? 0 : (percent * used) / (used + resold);
  const amounts = [
    `${used.toLocaleString('en-GB')} used`,
    ...(resold > 0 ? [`${resold.toLocaleString('en-GB')} resold`] : []),
  ].join(', ');
  return (
    <Box w="100%">
      <Group justify="space-between" gap="xs" mb={4} wrap="nowrap">
        <Text fz="sm">
          {amounts} of {featureValueInSentence(row.tag, row.value)}
        </Text>
        {until && (
          <Text fz="xs" c="dimmed">
            until <Day day={until} />
          </Text>
        )}
      </Group>
      <Progress.Root size={6}>
        <Progress.Section value={usedPercent} color={color} aria-label={`${row.name}: ${percent} % used`} />
        {resold > 0 && (
          <Progress.Section value={percent - usedPercent} color="blue" aria-label={`${row.name}: resold`} />
        )}
      </Progress.Root>
    </Box>
  );
}
