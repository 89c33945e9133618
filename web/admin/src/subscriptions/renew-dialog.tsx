import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { versionOfListRow } from '../../../kit/concurrency/edit-conflict.ts';
import { writeIfUnchanged } from '../../../kit/concurrency/write-if-unchanged.ts';
import { formatDay } from '../../../kit/format/instants.ts';
import { counted } from '../../../kit/format/counted.ts';
import { intervalText } from '../../../kit/format/label.ts';
import { formatMoney } from '../../../kit/format/money.ts';
import { NumberField } from '../../../kit/form/fields/number-field.tsx';
import { useSubmission } from '../../../kit/api/use-submission.ts';
import { RefusalAlert } from '../../../kit/display/notices/notices.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { nouns } from '../nouns/nouns.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { PreviewChanges, useSubscriptionPreview } from './preview-changes.tsx';
import { termsTarget } from './terms-target.ts';
import type { CustomerRow, SubscriptionRow } from '../nouns/rows.ts';

export function RenewDialog({ row, onClose }: { readonly row: SubscriptionRow; readonly onClose: () => void }) {
  const [cycles, setCycles] = useState(1);
  const [cyclesInput, setCyclesInput] = useState<number | string | undefined>(1);
  const customer = (row.customer as { data?: CustomerRow | null } | undefined)?.data;
  const isCanceled = row.canceled_at !== null;
  const [uncancel, setUncancel] = useState(isCanceled);
  const submission = useSubmission();
  const body = { renew: true, cycles, ...(uncancel ? { uncancel } : {}) };
  const { after, figures, refusal, isPossible } = useSubscriptionPreview(row.id, body);
  const length = counted(
    (figures?.periodicity ?? row.periodicity) * cycles,
    figures?.periodicity_type ?? row.periodicity_type,
  );

  async function renew(): Promise<void> {
    const { data } = await writeIfUnchanged(termsTarget(row.id), versionOfListRow(row), (ifMatch) =>
      client.renewSubscription({ params: { subscription_id: row.id }, body, ifMatch }),
    );
    await refreshEverything();
    showDone(`Renewed until ${formatDay(data.ends_at)}.`);
    onClose();
  }

  return (
    <Modal opened onClose={onClose} title={`Renew “${nouns.subscriptions.titleOf(row)}”`}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submission.run(renew, event.currentTarget);
        }}
      >
        <Stack>
          <RefusalAlert error={submission.failure} />
          {customer && <Text c="dimmed">For {nouns.customers.titleOf(customer)}.</Text>}
          <NumberField
            label="Cycles"
            description={costOf(figures, length)}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            data-autofocus
            rule={{ minimum: 1, maximum: 1000, decimals: 0 }}
            value={cyclesInput}
            onChange={(next) => {
              setCyclesInput(next);
              if (typeof next === 'number') setCycles(next);
            }}
          />
          {isCanceled && (
            <Checkbox
              label="Undo cancellation"
              description="Required to renew a canceled subscription."
              checked={uncancel}
              onChange={(event) => setUncancel(event.currentTarget.checked)}
            />
          )}
          <PreviewChanges before={row} after={after} refusal={refusal} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={submission.isBusy} disabled={!isPossible || cyclesInput !== cycles}>
              Renew
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

type Figures = ReturnType<typeof useSubscriptionPreview>['figures'];

/** The length and price of the renewal. The price per interval is shown if there is no total. */
function costOf(figures: Figures, length: string): string {
  if (figures === null) return `${length}.`;
  const change = figures.package_change;
  const price =
    figures.amount === null
      ? `${formatMoney(figures.price, figures.currency)} every ${intervalText(figures.periodicity, figures.periodicity_type)}`
      : formatMoney(figures.amount, figures.currency);
  const note = change?.status === 'scheduled' ? ` The package will change on ${formatDay(change.effective_at)}.` : '';
  return `${length}, for ${price}.${note}`;
}
