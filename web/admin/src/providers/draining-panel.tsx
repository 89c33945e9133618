import { Badge, Group, Stack, Switch, Text } from '@mantine/core';
import { FactList } from '../../../kit/display/facts.tsx';
import { Absent } from '../../../kit/display/field-value.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { textOrNull } from '../../../kit/noun/noun.ts';
import type { Draining } from './use-draining.tsx';
import type { ServiceProviderRow } from '../nouns/rows.ts';

/** What decides whether new meetings start on a provider: draining, pool, weight, tags and limits. */
export function DrainingPanel({ row, draining }: { readonly row: ServiceProviderRow; readonly draining: Draining }) {
  const tags = (row.tags ?? []) as readonly string[];
  const pool = textOrNull(row, 'pool');

  return (
    <Panel title="New meetings">
      <Stack gap="xs" py={4}>
        <Switch
          label="Draining"
          description="No new meetings start on this server. Running meetings continue, and people can still join them. For maintenance, drain the server and wait until no meetings are running."
          checked={draining.isDraining}
          disabled={!draining.isAllowed || draining.isBusy}
          onChange={draining.toggle}
        />
      </Stack>
      <div style={{ borderTop: '1px solid var(--foyer-line)', marginTop: 8 }}>
        <FactList
          facts={[
            [
              'Pool',
              pool ?? (
                <Text key="pool" c="dimmed">
                  None
                </Text>
              ),
            ],
            ['Weight', row.weight.toLocaleString('en-GB')],
            [
              'Tags',
              tags.length === 0 ? (
                <Absent key="tags" />
              ) : (
                <Group key="tags" gap={4}>
                  {tags.map((tag) => (
                    <Badge key={tag} variant="default" tt="none" fw={450}>
                      {tag}
                    </Badge>
                  ))}
                </Group>
              ),
            ],
            ['Maximum meetings', limitText(row.max_meetings)],
            ['Maximum participants', limitText(row.max_participants)],
          ]}
        />
      </div>
    </Panel>
  );
}

function limitText(limit: unknown): string {
  return typeof limit === 'number' ? limit.toLocaleString('en-GB') : 'No limit';
}
