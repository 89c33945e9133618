import { Button, Group, SegmentedControl, Select, Stack, Table, Text } from '@mantine/core';
import type { EndpointAnswer } from '@foyer/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Fragment, type SubmitEvent, useState } from 'react';
import { asListed } from '../../../kit/concurrency/edit-conflict.ts';
import { writeIfUnchanged } from '../../../kit/concurrency/write-if-unchanged.ts';
import { FactList } from '../../../kit/display/facts.tsx';
import { EnterTakesMatch } from '../../../kit/form/enter-takes-match.tsx';
import { featureValueText, featureValueWithin, nameOfTag } from '../../../kit/format/feature-values.ts';
import { NamedReference } from '../../../kit/display/field-value.tsx';
import { daysUntil, formatDay } from '../../../kit/format/instants.ts';
import { intervalOf } from '../../../kit/format/label.ts';
import { formatMoney } from '../../../kit/format/money.ts';
import { searchQuery } from '../../../kit/list/search.ts';
import { LoadingNotice, RefusalAlert } from '../../../kit/display/notices.tsx';
import { SideDrawer } from '../../../kit/dialog/side-drawer.tsx';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { Day } from '../../../kit/display/times.tsx';
import { useNow } from '../../../kit/display/use-now.ts';
import { showDone } from '../../../kit/display/toasts.ts';
import { text } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { Amount } from './amount.tsx';
import { FromTo } from './preview-changes.tsx';
import { termsTarget } from './terms-target.ts';
import type { SubscriptionRow } from '../nouns/rows.ts';

type Preview = EndpointAnswer<'previewPackageChange'>['data'];
type When = Preview['when'];

/** Moves a subscription to another package, once it has been seen what that does. */
export function ChangePackageDrawer({ row, onClose }: { readonly row: SubscriptionRow; readonly onClose: () => void }) {
  const [packageId, setPackageId] = useState<string | null>(null);
  const [when, setWhen] = useState<When | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const params = { subscription_id: row.id };
  const body = { package_id: packageId ?? '', ...(when === null ? {} : { when }) };
  const packages = useQuery({
    queryKey: ['listServicePackages', 'sold'],
    queryFn: ({ signal }) =>
      client.listServicePackages({
        query: {
          ...searchQuery('', { status: 'active', retired: 'false' }),
          limit: 0,
          orderBy: 'tier,name',
          sortedBy: 'asc,asc',
        },
        signal,
      }),
  });
  const found = useQuery({
    queryKey: ['previewPackageChange', row.id, body],
    enabled: packageId !== null,
    retry: false,
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => client.previewPackageChange({ params, body, signal }),
  });
  const preview = packageId !== null && !found.error ? (found.data?.data ?? null) : null;
  const offered = (packages.data?.data ?? []).filter(({ id }) => id !== row.package_id);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (preview === null) return;
    setBusy(true);
    setFailure(null);
    try {
      await writeIfUnchanged(termsTarget(row.id), asListed(row), (ifMatch) =>
        client.changePackage({ params, body: { package_id: preview.to.package_id, when: preview.when }, ifMatch }),
      );
      // Closed first: what is asked of the package that it has now is refused.
      onClose();
      await refreshEverything();
      showDone(
        preview.when === 'now'
          ? `It has the package ${preview.to.name} now.`
          : `It moves to ${preview.to.name} on ${formatDay(preview.effective_at)}.`,
      );
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  }

  return (
    <SideDrawer title="Change the package" isOpen onClose={onClose} size={620}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <Stack p="xl" pt="lg" gap="lg">
          <RefusalAlert error={failure ?? (packageId === null ? null : found.error)} />
          <EnterTakesMatch>
            <Select
              label="New package"
              required
              searchable
              data-autofocus
              placeholder="Choose a package"
              nothingFoundMessage="No other package is sold"
              allowDeselect={false}
              value={packageId}
              data={offered.map(({ id, name }) => ({ value: id, label: name }))}
              renderOption={({ option }) => {
                const sold = offered.find(({ id }) => id === option.value);
                return (
                  <Group justify="space-between" wrap="nowrap" w="100%" gap="xs">
                    <Text truncate fz="sm">
                      {option.label}
                    </Text>
                    <Text c="dimmed" fz="xs" style={{ flexShrink: 0 }}>
                      {sold &&
                        `${formatMoney(sold.price, sold.currency)}${sold.tier === null ? '' : ` · tier ${sold.tier}`}`}
                    </Text>
                  </Group>
                );
              }}
              onChange={(next) => {
                setPackageId(next);
                setWhen(null);
                setFailure(null);
              }}
            />
          </EnterTakesMatch>
          {packageId !== null && !found.error && preview === null && <LoadingNotice />}
          {preview && <ChangePreview preview={preview} onWhen={setWhen} row={row} />}
        </Stack>
        <Group className="form-foot" justify="flex-end" px="xl" py="md">
          <Button variant="default" onClick={onClose}>
            Keep as it is
          </Button>
          <Button
            type="submit"
            loading={isBusy}
            disabled={preview === null || (preview.when === 'now' && !preview.allowed)}
          >
            {preview?.when === 'period_end' ? 'Schedule change' : 'Change now'}
          </Button>
        </Group>
      </form>
    </SideDrawer>
  );
}

function ChangePreview(props: {
  readonly preview: Preview;
  readonly row: SubscriptionRow;
  readonly onWhen: (when: When) => void;
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
          onChange={(next) => props.onWhen(next)}
          data={[
            { value: 'now', label: 'Now' },
            { value: 'period_end', label: isOnTrial ? 'At the end of the trial' : 'At the end of the period' },
          ]}
        />
        <Text fz="sm" c="dimmed">
          The period under way keeps its dates, until {formatDay(text(row, 'ends_at'))}.
        </Text>
      </Stack>
      {!preview.allowed && <OverLimit preview={preview} />}
      <section className="preview" aria-label="Terms">
        <FactList
          facts={[
            ['Direction', <StatusBadge key="direction" value={preview.direction} />],
            ['From', <Day key="day" day={preview.effective_at} withDistance />],
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
  return side.grace_period === 0 ? 'none' : intervalOf(side.grace_period, side.grace_interval);
}

function OverLimit({ preview }: { readonly preview: Preview }) {
  const over = preview.features.filter((feature) => feature.over);
  return (
    <div className="warning" role="alert">
      <Text fw={560}>
        {preview.when === 'now'
          ? 'More is used than the new package allows'
          : 'More is used today than the new package allows'}
      </Text>
      <ul>
        {over.map(({ tag, used, handed_down: handedDown, unlimited_below: unlimitedBelow, to }) => (
          <li key={tag}>
            {nameOfTag(tag)}: {used.toLocaleString('en-GB')} used
            {handedDown > 0 && `, ${handedDown.toLocaleString('en-GB')} of it handed down`},{' '}
            {featureValueWithin(tag, to)} allowed
            {unlimitedBelow.length > 0 && (
              <>
                . Unlimited below in <Below ids={unlimitedBelow} />
              </>
            )}
          </li>
        ))}
      </ul>
      <Text fz="sm">
        {preview.when === 'now'
          ? 'It cannot be changed until less is used.'
          : 'It can be scheduled, but unless less is used on its day, nothing changes.'}
      </Text>
    </div>
  );
}

/** Subscriptions by name. */
function Below({ ids }: { readonly ids: readonly string[] }) {
  return ids.map((id, index) => (
    <Fragment key={id}>
      {index > 0 && ', '}
      <NamedReference noun={nouns.subscriptions} id={id} />
    </Fragment>
  ));
}

/** What changes first, then what stays. */
function FeatureChanges({ preview }: { readonly preview: Preview }) {
  const [shown, setShown] = useState('changed');
  const changed = preview.features.filter(
    ({ tag, from, to, over }) => featureValueText(tag, from) !== featureValueText(tag, to) || over,
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
            { value: 'changed', label: `What changes (${changed.length})` },
            { value: 'all', label: `All (${preview.features.length})` },
          ]}
        />
      </Group>
      {listed.length === 0 ? (
        <Text c="dimmed">Every feature stays as it is.</Text>
      ) : (
        <Table className="list" data-still>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Feature</Table.Th>
              <Table.Th>Now and then</Table.Th>
              <Table.Th data-numeric>Used</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {listed.map(({ tag, from, to, used, over }) => (
              <Table.Tr key={tag}>
                <Table.Td>
                  <Text fw={520}>{nameOfTag(tag)}</Text>
                </Table.Td>
                <Table.Td data-label="Now and then">
                  <FeatureMove tag={tag} from={from} to={to} />
                </Table.Td>
                <Table.Td data-label="Used" data-numeric>
                  {over ? (
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

/** What is absent is said as what then holds: what is not limited any more is unlimited. */
function FeatureMove({
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
