import { Group, Progress, Text } from '@mantine/core';
import { formatDay } from '../../../kit/format/instants.ts';
import { useNow } from '../../../kit/display/use-now.ts';
import { phaseOf } from './subscription-phase.ts';
import type { SubscriptionRow } from '../nouns/rows.ts';

/** Progress of the trial or period. */
export function SubscriptionPeriod({ row }: { readonly row: SubscriptionRow }) {
  const nowMs = useNow();
  const phase = phaseOf(row, nowMs);
  return (
    <section className="panel" aria-label="Period">
      <div className="panel-body">
        <Group justify="space-between" mb={8} gap="xs">
          <Text fw={560}>{phase.sentence}</Text>
          {phase.to !== null && (
            <Text c="dimmed" fz="sm">
              {phase.from !== null && `${formatDay(phase.from)} – `}
              {formatDay(phase.to)}
            </Text>
          )}
        </Group>
        <Progress value={phase.percent} size={8} color={phase.color} aria-label="How much of the period has passed" />
        {phase.renewal && (
          <Text c="dimmed" fz="sm" mt={8}>
            {phase.renewal}
          </Text>
        )}
      </div>
    </section>
  );
}
