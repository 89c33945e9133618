import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import type { EndpointAnswer, EndpointInput } from '@foyer/sdk';
import { useState } from 'react';
import { RefusalAlert } from '../../../kit/display/notices/notices.tsx';
import { client } from '../../../kit/api/client.ts';
import { useSubmission } from '../../../kit/api/use-submission.ts';
import type { WebhookRow } from '../nouns/rows.ts';
import { AttemptOutcome } from './attempt-outcome.tsx';
import { isSubscribed } from './event-patterns.ts';
import { useEventGroups } from './use-event-types.ts';

type EventName = EndpointInput<'testWebhook'>['body']['event'];
type Outcome = EndpointAnswer<'testWebhook'>['data'];

interface Props {
  readonly webhook: WebhookRow;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Sends an example of an event and shows the response of the receiver. */
export function TestDialog(props: Props) {
  return (
    <Modal opened={props.isOpen} onClose={props.onClose} size="lg" title="Send a test">
      {props.isOpen && <TestForm {...props} />}
    </Modal>
  );
}

function TestForm({ webhook, onClose }: Props) {
  const groups = useEventGroups();
  const [chosen, setChosen] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const submission = useSubmission();
  const names = (groups.data ?? []).flatMap(({ types }) => types.map(({ name }) => name));
  const event = chosen ?? names.find((name) => isSubscribed(webhook.events, name)) ?? null;

  async function send(): Promise<void> {
    setOutcome(null);
    const body = { event: event as EventName };
    const { data } = await client.testWebhook({ params: { webhook_id: webhook.id }, body });
    setOutcome(data);
  }

  return (
    <form
      noValidate
      onSubmit={(submitted) => {
        submitted.preventDefault();
        submission.run(send, submitted.currentTarget);
      }}
    >
      <Stack>
        <RefusalAlert error={submission.failure ?? groups.error} />
        <Text c="dimmed" fz="sm">
          An example of the event is sent immediately, signed with the secret and marked with "test": true. It is not
          stored and not retried.
        </Text>
        <Select
          label="Event"
          searchable
          allowDeselect={false}
          nothingFoundMessage="No events found"
          value={event}
          data={(groups.data ?? []).map(({ title, types }) => ({
            group: title,
            items: types.map(({ name }) => name),
          }))}
          onChange={(next) => {
            setChosen(next);
            setOutcome(null);
          }}
        />
        {outcome !== null && (
          <section className="preview" aria-label="Outcome" role="status" style={{ paddingBlock: 12 }}>
            <AttemptOutcome
              attempt={outcome}
              aside={
                <Text fz="sm">
                  {outcome.error === null ? 'The receiver accepted the test.' : 'The receiver did not accept the test.'}
                </Text>
              }
            />
          </section>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" loading={submission.isBusy} disabled={event === null}>
            {outcome === null ? 'Send test' : 'Send again'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
