import { Button, Group, Stack, TagsInput, Text } from '@mantine/core';
import { FoyerError } from '@foyer/sdk';
import { useState } from 'react';
import { useSubmission } from '../form/use-submission.ts';
import { CopyAction } from '../layout/copyable.tsx';
import { RefusalAlert } from '../layout/notices.tsx';
import { Panel } from '../layout/page-header.tsx';
import { showDone } from '../layout/toasts.ts';
import type { Row } from '../nouns/noun.ts';
import { client, refreshEverything } from '../platform.ts';

const member = 'allowed_domains_origins';

/** On whose pages the rooms of a customer may stand. */
export function Embedding({ row, mayChange }: { readonly row: Row; readonly mayChange: boolean }) {
  const stored = (row[member] ?? []) as readonly string[];
  const [origins, setOrigins] = useState<readonly string[] | null>(null);
  const submission = useSubmission();
  const shown = origins ?? stored;
  const snippet = `<iframe src="${window.location.origin}/rooms/room_…/name?token=…"\n  allow="camera *; microphone *; display-capture *; fullscreen *; autoplay *"\n  width="100%" height="720"></iframe>`;

  async function save(): Promise<void> {
    await client.updateCustomer({
      params: { customer_id: row.id },
      body: { allowed_domains_origins: origins === null ? [] : [...origins] },
    });
    await refreshEverything();
    setOrigins(null);
    showDone('The allowed origins have been saved.');
  }

  return (
    <Panel title="On other websites">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submission.run(save, event.currentTarget);
        }}
      >
        <Stack gap="md">
          <Text c="dimmed">
            The customer can show its rooms inside of its own website. Browsers allow that only to the origins that
            stand here, and to those of the resellers above it; every other page shows nothing in the frame.
          </Text>
          <RefusalAlert error={originFault(submission.failure) === null ? submission.failure : null} />
          {mayChange ? (
            <TagsInput
              label="Allowed origins"
              description="Scheme, name and port if it has one, without a path: https://www.example.com. Each domain and subdomain is an origin of its own."
              placeholder={shown.length === 0 ? 'https://www.example.com' : ''}
              error={originFault(submission.failure)}
              value={[...shown]}
              onChange={(next) => {
                submission.forget();
                setOrigins(next);
              }}
            />
          ) : (
            <Text>{stored.length === 0 ? 'No origin is allowed.' : stored.join(', ')}</Text>
          )}
          {origins !== null && (
            <Group justify="flex-end" gap="xs">
              <Button
                variant="default"
                onClick={() => {
                  submission.forget();
                  setOrigins(null);
                }}
              >
                Undo
              </Button>
              <Button type="submit" loading={submission.isBusy}>
                Save origins
              </Button>
            </Group>
          )}
          <div>
            <Group justify="space-between" mb={4}>
              <Text fw={560} fz="sm">
                What stands on the page there
              </Text>
              <CopyAction value={snippet} label="the snippet" />
            </Group>
            <pre className="snippet">{snippet}</pre>
          </div>
          <Text c="dimmed" fz="sm">
            Without what stands in allow, browsers give the room neither camera nor microphone. The meeting itself comes
            from the meeting server, which has to allow the frame, too; the sandbox does not. On phones the room opens
            better in a tab of its own.
          </Text>
        </Stack>
      </form>
    </Panel>
  );
}

/** What is wrong with one of them, told by its place in the list. */
function originFault(failure: unknown): string | null {
  if (!(failure instanceof FoyerError)) return null;
  const sentences = Object.entries(failure.errors)
    .filter(([path]) => path === member || path.startsWith(`${member}.`))
    .flatMap(([, found]) => found);
  return sentences.length === 0 ? null : 'Each must be an origin, such as https://www.example.com, without a path.';
}
