import { Button, Group, SegmentedControl, Select, Table, Text } from '@mantine/core';
import { findFeature } from '@foyer/contract/resources/packages/features.ts';
import { unlimited } from '@foyer/contract/resources/packages/feature-definition.ts';
import { FoyerError } from '@foyer/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { versionOfListRow } from '../../../kit/concurrency/edit-conflict.ts';
import { writeIfUnchanged, type WriteTarget } from '../../../kit/concurrency/write-if-unchanged.ts';
import { useMerge } from '../../../kit/concurrency/use-merge.tsx';
import { featureValueText, featureName } from '../../../kit/format/feature-values.ts';
import { errorsOfField, type FormValues, isSame, errorsWithoutField } from '../../../kit/form/form-values.ts';
import { FormFaults } from '../../../kit/form/form-faults.tsx';
import { FailureNotice, LoadingNotice } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { NumberField } from '../../../kit/form/fields/number-field.tsx';
import { toText } from '../../../kit/format/to-text.ts';
import type { RoomRow } from '../nouns/rows.ts';

type Overrides = Readonly<Record<string, unknown>>;

/** Features: the subscription's values, the room's own values and the effective ones. */
export function RoomFeatures({ row }: { readonly row: RoomRow }) {
  const [displayedRow, setDisplayedRow] = useState(row);
  const [isDirty, setDirty] = useState(false);
  // While the table is being edited, it does not load changes by other people.
  if (!isDirty && !isSame(displayedRow['room_features'], row.room_features)) setDisplayedRow(row);
  const key = JSON.stringify(displayedRow['room_features']);
  return <FeatureTable key={key} row={displayedRow} isDirty={isDirty} onDirty={setDirty} />;
}

function FeatureTable(props: {
  readonly row: RoomRow;
  readonly isDirty: boolean;
  readonly onDirty: (isDirty: boolean) => void;
}) {
  const { row, isDirty, onDirty } = props;
  const params = { room_id: row.id };
  const target: WriteTarget = { read: 'readRoom', params, fields: ['room_features'] };
  const [overrides, setOverrides] = useState<Overrides>(() => overridesOf(row));
  const merge = useMerge({
    shown: versionOfListRow(row),
    valuesOf: overridesOf,
    values: overrides,
    onValues: setOverrides,
    labelOf: ([tag = '']) => featureName(tag),
    valueOf: ([tag = ''], value) =>
      value === undefined ? 'Same as the subscription' : featureValueText(tag, toText(value)),
  });
  const [failure, setFailure] = useState<unknown>(null);
  const [showsAll, setShowsAll] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const may = useMay();
  const result = useQuery({
    queryKey: ['readRoomFeatures', row.id],
    queryFn: ({ signal }) => client.readRoomFeatures({ params, signal }),
  });
  if (result.error) return <FailureNotice error={result.error} onRetry={() => void result.refetch()} />;
  if (!result.data) return <LoadingNotice />;
  const errors = failure instanceof FoyerError ? failure.errors : {};
  const faults = errorsOfField(errors, 'room_features');
  const mayChange = may('updateRoom');
  const roomFeatures = result.data.data.filter(
    ({ tag }) => !accountFeatures.has(tag) && findFeature(tag)?.consumable !== true,
  );
  const soldFeatures = roomFeatures.filter(({ subscription }) => subscription !== null);
  const displayedFeatures = showsAll ? roomFeatures : soldFeatures;

  function undo(): void {
    setOverrides(overridesOf(row));
    onDirty(false);
  }

  async function save(): Promise<void> {
    if (merge.requireChoices()) return;
    setBusy(true);
    setFailure(null);
    try {
      await merge.submit(async (base) => {
        await writeIfUnchanged(target, base?.version ?? versionOfListRow(row), (ifMatch) =>
          client.updateRoom({ params, body: { room_features: { ...overrides } }, ifMatch }),
        );
        await refreshEverything();
        onDirty(false);
        showDone('The features of the room have been saved.');
      });
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Panel
      flush
      title="Features"
      aside={
        !isDirty ? (
          <SegmentedControl
            size="xs"
            aria-label="Which features"
            value={showsAll ? 'all' : 'sold'}
            onChange={(value) => setShowsAll(value === 'all')}
            data={[
              { value: 'sold', label: `In the subscription (${soldFeatures.length})` },
              { value: 'all', label: `All (${roomFeatures.length})` },
            ]}
          />
        ) : (
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={undo}>
              Undo
            </Button>
            <Button size="xs" loading={isBusy} onClick={() => void save()}>
              Save features
            </Button>
          </Group>
        )
      }
    >
      <Text c="dimmed" px="md" pt="md" pb="xs">
        The features of a room are limited by those of its subscription.
      </Text>
      {merge.panel && <div style={{ padding: '4px 18px 12px' }}>{merge.panel}</div>}
      {failure !== null && (
        <Group px="md" py="xs">
          <FormFaults failure={failure} otherErrors={errorsWithoutField(errors, [])} />
        </Group>
      )}
      <div className="scroll-x">
        <Table className="list" data-static>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Feature</Table.Th>
              <Table.Th>Subscription</Table.Th>
              <Table.Th w={190}>This room</Table.Th>
              <Table.Th>In effect</Table.Th>
              <Table.Th>Comes from</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {displayedFeatures.map((feature) => (
              <Table.Tr key={feature.tag}>
                <Table.Td>
                  <Text fw={540}>{findFeature(feature.tag)?.name ?? feature.tag}</Text>
                </Table.Td>
                <Table.Td data-label="Subscription">{featureValueText(feature.tag, feature.subscription)}</Table.Td>
                <Table.Td data-label="This room">
                  {mayChange && feature.subscription !== null ? (
                    <OverrideInput
                      tag={feature.tag}
                      inherited={feature.subscription}
                      key={merge.round}
                      value={overrides[feature.tag]}
                      error={faults[feature.tag] ?? null}
                      onChange={(value) => {
                        setOverrides(withOverride(overrides, feature.tag, value));
                        onDirty(true);
                      }}
                    />
                  ) : (
                    featureValueText(feature.tag, feature.room)
                  )}
                </Table.Td>
                <Table.Td data-label="In effect">
                  <Text fw={540}>{featureValueText(feature.tag, feature.used)}</Text>
                </Table.Td>
                <Table.Td data-label="Comes from">
                  <Text inherit c="dimmed">
                    {sources[feature.source]}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Panel>
  );
}

function overridesOf(row: FormValues): Overrides {
  return (row.room_features ?? {}) as Overrides;
}

const sources = {
  package: 'the package',
  subscription: 'the subscription',
  room: 'this room',
  default: 'not in the subscription',
} as const;

/** These features concern the customer's users, not rooms. */
const accountFeatures = new Set(['allow_create_account', 'allow_delete_account']);

function withOverride(overrides: Overrides, tag: string, value: unknown): Overrides {
  const rest = Object.fromEntries(Object.entries(overrides).filter(([name]) => name !== tag));
  return value === undefined ? rest : { ...rest, [tag]: value };
}

function OverrideInput(props: {
  readonly tag: string;
  readonly inherited: string;
  readonly value: unknown;
  readonly error: string | null;
  readonly onChange: (value: unknown) => void;
}) {
  const feature = findFeature(props.tag);
  const label = `${feature?.name ?? props.tag} in this room`;
  if (feature?.valueType === 'flag') {
    const isSet = props.value !== undefined && props.value !== null;
    const isOn = isSet && toText(props.value) === 'true';
    return (
      <Select
        size="xs"
        aria-label={label}
        error={props.error}
        allowDeselect={false}
        value={isSet ? String(isOn) : 'inherited'}
        data={[
          { value: 'inherited', label: 'Same as the subscription' },
          { value: 'true', label: 'On' },
          { value: 'false', label: 'Off' },
        ]}
        description={isOn && props.inherited === 'false' ? 'Off, because it is off in the subscription.' : null}
        inputWrapperOrder={['input', 'description', 'error']}
        styles={{ description: { whiteSpace: 'normal' } }}
        onChange={(next) => props.onChange(next === 'inherited' || next === null ? undefined : next === 'true')}
      />
    );
  }
  return (
    <NumberField
      size="xs"
      aria-label={label}
      placeholder={props.inherited === unlimited ? 'Unlimited' : props.inherited}
      rule={limitRule}
      error={props.error}
      value={/^\d+$/.test(toText(props.value)) ? Number(props.value) : toText(props.value)}
      description={isAbove(props.value, props.inherited) ? `Limited to ${props.inherited} by the subscription.` : null}
      inputWrapperOrder={['input', 'description', 'error']}
      styles={{ description: { whiteSpace: 'normal' } }}
      onChange={props.onChange}
    />
  );
}

function isAbove(value: unknown, inherited: string): boolean {
  return inherited !== unlimited && /^\d+$/.test(toText(value)) && Number(value) > Number(inherited);
}

const limitRule = { minimum: 0, maximum: 9_999_999_999_999, decimals: 0 };
