import { Alert, Group, Text } from '@mantine/core';
import { Waiting } from '../../../kit/api/waiting.tsx';
import { IconAlertCircle, IconArrowRight } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { EndpointInput } from '@foyer/sdk';
import type { ReactNode } from 'react';
import { FactList } from '../../../kit/display/facts.tsx';
import { Absent } from '../../../kit/display/field-value.tsx';
import { labelOf } from '../../../kit/format/label.ts';
import { toText } from '../../../kit/format/to-text.ts';
import { AllowedMoves } from '../../../kit/display/notices/notices.tsx';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { Day } from '../../../kit/display/times.tsx';
import type { Row } from '../../../kit/noun/noun.ts';
import { client, describeFailure } from '../../../kit/api/client.ts';

type PreviewBody = EndpointInput<'previewSubscription'>['body'];

/** Requests the preview of a renewal or cancellation. */
export function useSubscriptionPreview(id: string, body: PreviewBody) {
  const result = useQuery({
    queryKey: ['previewSubscription', id, body],
    retry: false,
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => client.previewSubscription({ params: { subscription_id: id }, body, signal }),
  });
  const after = result.error ? null : ((result.data?.data as Row | undefined) ?? null);
  const figures = result.error ? null : (result.data?.meta.custom.figures ?? null);
  return { after, figures, refusal: result.error, isPossible: after !== null };
}

/** The current and new value of each field that would change, or why the change is not possible. */
export function PreviewChanges(props: { readonly before: Row; readonly after: Row | null; readonly refusal: unknown }) {
  const { before, after, refusal } = props;
  if (refusal) {
    return (
      <Alert color="yellow" variant="light" icon={<IconAlertCircle size={18} />}>
        {describeFailure(refusal)}
        <AllowedMoves error={refusal} />
      </Alert>
    );
  }
  if (after === null) return <Waiting h={92} />;
  const changed = previewedFields.filter((name) => toText(before[name]) !== toText(after[name]));
  if (changed.length === 0) return <Text c="dimmed">Nothing would change.</Text>;
  return (
    <section className="preview" aria-label="Changes">
      <FactList
        facts={changed.map((name) => [
          labelOf(name),
          <FromTo key={name} from={renderValue(name, before[name])} to={renderValue(name, after[name])} />,
        ])}
      />
    </section>
  );
}

const previewedFields = ['status', 'trial_ends_at', 'starts_at', 'ends_at', 'cancels_at'];

/** The current and the new value, also for screen readers. */
export function FromTo({ from, to }: { readonly from: ReactNode; readonly to: ReactNode }) {
  return (
    <Group gap={8} component="span" display="inline-flex">
      <Text component="span" inherit c="dimmed">
        {from}
      </Text>
      <IconArrowRight size={14} aria-label="becomes" role="img" color="var(--mantine-color-dimmed)" />
      <Text component="span" inherit fw={560}>
        {to}
      </Text>
    </Group>
  );
}

function renderValue(name: string, value: unknown): ReactNode {
  if (typeof value !== 'string') return <Absent />;
  return name === 'status' ? <StatusBadge value={value} /> : <Day day={value} />;
}
