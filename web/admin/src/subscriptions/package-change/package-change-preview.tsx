import { Group, SegmentedControl, Stack, Table, Text } from '@mantine/core';
import type { EndpointAnswer } from '@foyer/sdk';
import { Fragment, useState } from 'react';
import { FactList } from '../../../../kit/display/facts.tsx';
import { featureValueText, featureValueInSentence, featureName } from '../../../../kit/format/feature-values.ts';
import { NamedReference } from '../../../../kit/display/field-value.tsx';
import { daysUntil, formatDay } from '../../../../kit/format/instants.ts';
import { counted } from '../../../../kit/format/counted.ts';
import { StatusBadge } from '../../../../kit/display/status.tsx';
import { Day } from '../../../../kit/display/times.tsx';
import { useNow } from '../../../../kit/display/use-now.ts';
import { text } from '../../../../kit/noun/noun.ts';
import { nouns } from '../../nouns/nouns.ts';
import { Amount } from '../amount.tsx';
import { FromTo } from '../preview-changes.tsx';
import type { SubscriptionRow } from '../../nouns/rows.ts';

type Preview = EndpointAnswer<'previewPackageChange'>['data'];

export type ChangeTiming = Preview['when'];

export function ChangePreview(props: {
  readonly preview: Preview;
  readonly row: SubscriptionRow;
  readonly onTimingChange: (timing: ChangeTiming) => void;
}) {
  const { preview, row } = props;
  const nowMs = useNow();
  const { from, to } = preview;
  const isOnTrial = preview.trial_ends_at !== null && daysUntil(preview.trial_ends_at, nowMs) >= 0;
  return (
    <>
      <Stack gap={6}>
        <SegmentedControl
          fullWidth
          aria-label="When"
          value={preview.when}
          onChange={(timing) => props.onTimingChange(timing)}
          data={[
            { value: 'now', label: 'Now' },
            { value: 'period_end', label: isOnTrial ? 'At the end of the trial' : 'At the end of the period' },
          ]}
        />
        <Text fz="sm" c="dimmed">
          The current period still ends on {formatDay(text(row, 'ends_at'))}.
        </Text>
      </Stack>
      {!preview.allowed && <OverLimit preview={preview} />}
      <section className="preview" aria-label="Terms">
        <FactList
          facts={[
            ['Direction', <StatusBadge key="direction" value={preview.direction} />],
            ['Takes effect', <Day key="day" day={preview.effective_at} withRelativeDay />],
            ['Package', <FromTo key="package" from={from.name} to={to.name} />],
            ['Price', <FromTo key="price" from={<Amount {...from} />} to={<Amount {...to} />} />],
            ...(from.grace_period === to.grace_period && from.grace_interval === to.grace_interval
              ? []
              : [['Grace', <FromTo key="grace" from={graceOf(from)} to={graceOf(to)} />] as const]),
          ]}
        />
      </section>
      <FeatureChanges preview={preview} />
    </>
  );
}

function graceOf(side: Preview['to']): string {
  return side.grace_period === 0 ? 'none' : counted(side.grace_period, side.grace_interval);
}

function OverLimit({ preview }: { readonly preview: Preview }) {
  const exceeded = preview.features.filter(({ over: isOverLimit }) => isOverLimit);
  return (
    <div className="warning" role="alert">
      <Text fw={560}>
        {preview.when === 'now' ? 'Current usage exceeds the new package' : 'Today’s usage exceeds the new package'}
      </Text>
      <ul>
        {exceeded.map(({ tag, used, handed_down: resold, unlimited_below: unlimitedBelow, to }) => (
          <li key={tag}>
            {featureName(tag)}: {used.toLocaleString('en-GB')} used
            {resold > 0 && `, including ${resold.toLocaleString('en-GB')} resold`}, {featureValueInSentence(tag, to)}{' '}
            allowed
            {unlimitedBelow.length > 0 && (
              <>
                . Unlimited in resold subscriptions: <SubscriptionNames ids={unlimitedBelow} />
              </>
            )}
          </li>
        ))}
      </ul>
      <Text fz="sm">
        {preview.when === 'now'
          ? 'Reduce the usage before you change the package.'
          : 'You can schedule the change, but it only happens if the usage fits on that day.'}
      </Text>
    </div>
  );
}

function SubscriptionNames({ ids }: { readonly ids: readonly string[] }) {
  return ids.map((id, index) => (
    <Fragment key={id}>
      {index > 0 && ', '}
      <NamedReference noun={nouns.subscriptions} id={id} />
    </Fragment>
  ));
}

/** Shows the changed features, or all on request. */
function FeatureChanges({ preview }: { readonly preview: Preview }) {
  const [shown, setShown] = useState('changed');
  const changed = preview.features.filter(
    ({ tag, from, to, over: isOverLimit }) => featureValueText(tag, from) !== featureValueText(tag, to) || isOverLimit,
  );
  const listed = shown === 'all' ? preview.features : changed;
  return (
    <section aria-label="Features">
      <Group justify="space-between" mb="xs">
        <Text fw={620}>Features</Text>
        <SegmentedControl
          size="xs"
          aria-label="Which features"
          value={shown}
          onChange={setShown}
          data={[
            { value: 'changed', label: `Changed (${changed.length})` },
            { value: 'all', label: `All (${preview.features.length})` },
          ]}
        />
      </Group>
      {listed.length === 0 ? (
        <Text c="dimmed">No feature changes.</Text>
      ) : (
        <Table className="list" data-static>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Feature</Table.Th>
              <Table.Th>Before and after</Table.Th>
              <Table.Th data-numeric>Used</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {listed.map(({ tag, from, to, used, over: isOverLimit }) => (
              <Table.Tr key={tag}>
                <Table.Td>
                  <Text fw={520}>{featureName(tag)}</Text>
                </Table.Td>
                <Table.Td data-label="Before and after">
                  <FeatureChange tag={tag} from={from} to={to} />
                </Table.Td>
                <Table.Td data-label="Used" data-numeric>
                  {isOverLimit ? (
                    <Text span fw={620} c="var(--mantine-color-error)">
                      {used.toLocaleString('en-GB')}, too many
                    </Text>
                  ) : used > 0 ? (
                    used.toLocaleString('en-GB')
                  ) : (
                    '–'
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </section>
  );
}

/** Absent features are shown with their default value. */
function FeatureChange({
  tag,
  from,
  to,
}: {
  readonly tag: string;
  readonly from: string | null;
  readonly to: string | null;
}) {
  const [now, then] = [featureValueText(tag, from), featureValueText(tag, to)];
  return now === then ? <>{now}</> : <FromTo from={now} to={then} />;
}
