import { Badge, Group, Text } from '@mantine/core';
import { StatusBadge } from '../../../kit/display/status.tsx';
import type { WebhookRow } from '../nouns/rows.ts';
import { patternPhrase } from './event-patterns.ts';

export function WebhookStateCell({ row }: { readonly row: WebhookRow }) {
  return <StatusBadge value={row.state} />;
}

/** The first two event patterns of the webhook. */
export function EventsCell({ row }: { readonly row: WebhookRow }) {
  const [first, second, ...more] = row.events;
  return (
    <Group gap={4} component="span" display="inline-flex" wrap="nowrap">
      {[first, second].map(
        (pattern) =>
          pattern !== undefined && (
            <Badge key={pattern} variant="default" tt="none" fw={450}>
              {patternPhrase(pattern)}
            </Badge>
          ),
      )}
      {more.length > 0 && (
        <Text component="span" inherit c="dimmed">
          + {more.length}
        </Text>
      )}
    </Group>
  );
}
