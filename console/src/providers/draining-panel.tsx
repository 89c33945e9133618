import { Badge, Group, Stack, Switch, Text } from '@mantine/core';
import { FactList } from '../detail/facts.tsx';
import { useState } from 'react';
import { Absent } from '../fields/field-value.tsx';
import { ConfirmDialog } from '../layout/confirm-dialog.tsx';
import { Panel } from '../layout/page-header.tsx';
import { showDone } from '../layout/toasts.ts';
import { useAction } from '../layout/use-action.ts';
import { type Row, text, textOrNull } from '../nouns/noun.ts';
import { client, refreshEverything } from '../platform.ts';
import { useMay } from '../session/caller.tsx';

/** Which new meetings come here: pool, weight, tags and limits, and the switch that lets it run empty. */
export function DrainingPanel({ row }: { readonly row: Row }) {
  const may = useMay();
  const { isBusy, run } = useAction();
  const [isAsking, setAsking] = useState(false);
  const isDraining = row['draining'] === true;
  const tags = (row['tags'] ?? []) as readonly string[];
  const pool = textOrNull(row, 'pool');

  function change(draining: boolean): Promise<unknown> {
    return client.updateServiceProvider({ params: { service_provider_id: row.id }, body: { draining } });
  }

  return (
    <Panel title="New meetings">
      <Stack gap="xs" py={4}>
        <Switch
          label="Draining"
          description="It takes no new meetings. Those that run go on, and people enter them. For maintenance: switch it on, wait until nothing runs, then work on the server."
          checked={isDraining}
          disabled={!may('updateServiceProvider') || isBusy}
          onChange={() =>
            isDraining
              ? run(() => change(false), `${text(row, 'provider_name')} takes new meetings again.`)
              : setAsking(true)
          }
        />
      </Stack>
      <div style={{ borderTop: '1px solid var(--foyer-line)', marginTop: 8 }}>
        <FactList
          facts={[
            [
              'Pool',
              pool ?? (
                <Text key="pool" c="dimmed">
                  None: it stands alone
                </Text>
              ),
            ],
            ['Weight', Number(row['weight']).toLocaleString('en-GB')],
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
            ['Meetings at most', limitText(row['max_meetings'])],
            ['Participants at most', limitText(row['max_participants'])],
          ]}
        />
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Drain “${text(row, 'provider_name')}”?`}
        confirmLabel="Drain it"
        isDangerous={false}
        onConfirm={async () => {
          await change(true);
          await refreshEverything();
          showDone(`${text(row, 'provider_name')} takes no new meetings any more.`);
        }}
      >
        <Text c="dimmed">
          No new meeting is opened on it from now on.{' '}
          {pool === null
            ? 'Subscriptions that have no other provider cannot start meetings meanwhile.'
            : `The others of the pool “${pool}” take them.`}{' '}
          Meetings that run go on until they end.
        </Text>
      </ConfirmDialog>
    </Panel>
  );
}

function limitText(limit: unknown): string {
  return typeof limit === 'number' ? limit.toLocaleString('en-GB') : 'No limit';
}
