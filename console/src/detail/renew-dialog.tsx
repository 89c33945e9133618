import { Button, Checkbox, Group, Modal, NumberInput, Stack, Text } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import { formatDay } from '../fields/instants.ts';
import { intervalOf } from '../fields/label.ts';
import { RefusalAlert } from '../layout/notices.tsx';
import { showDone } from '../layout/toasts.ts';
import type { Row } from '../nouns/noun.ts';
import { client, refreshEverything } from '../platform.ts';

export function RenewDialog({ row, onClose }: { readonly row: Row; readonly onClose: () => void }) {
  const [cycles, setCycles] = useState(1);
  const [uncancel, setUncancel] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const isCanceled = row['status'] === 'canceled';
  const periodicity = Number(row['periodicity']) * cycles;

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    try {
      const { data } = await client.renewSubscription({
        params: { subscription_id: row.id },
        body: { renew: true, cycles, ...(uncancel ? { uncancel } : {}) },
      });
      await refreshEverything();
      showDone(`Renewed until ${formatDay(data.ends_at)}.`);
      onClose();
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={
        <Text fw={620} fz="lg" component="span">
          Renew “{String(row['name'])}”
        </Text>
      }
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form noValidate onSubmit={(event) => void submit(event)}>
        <Stack>
          <RefusalAlert error={failure} />
          <NumberInput
            label="Cycles"
            description={`Adds ${intervalOf(periodicity, String(row['periodicity_type']))}.`}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            data-autofocus
            min={1}
            max={1000}
            allowDecimal={false}
            value={cycles}
            onChange={(next) => setCycles(Number(next) || 1)}
          />
          {isCanceled && (
            <Checkbox
              label="Take the cancellation back"
              description="A canceled subscription is renewed only so."
              checked={uncancel}
              onChange={(event) => setUncancel(event.currentTarget.checked)}
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Keep as it is
            </Button>
            <Button type="submit" loading={isBusy}>
              Renew
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
