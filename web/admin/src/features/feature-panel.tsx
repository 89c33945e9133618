import { ActionIcon, Button, Group, Menu, SegmentedControl, Table, Text } from '@mantine/core';
import type { FeatureDefinition } from '@foyer/contract/resources/packages/feature-definition.ts';
import { features, featuresOf } from '@foyer/contract/resources/packages/features.ts';
import type { ServiceType } from '@foyer/contract/resources/providers/provider-types.ts';
import { IconDots, IconPencil, IconPlus, IconToggleRight, IconTrash } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { versionOfListRow } from '../../../kit/concurrency/edit-conflict.ts';
import { writeIfUnchanged, type WriteTarget } from '../../../kit/concurrency/write-if-unchanged.ts';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { useAction } from '../../../kit/api/use-action.ts';
import { FeatureDialog, type FeatureValues } from './feature-dialog.tsx';
import type { SoldFeature } from './sold-feature.ts';
import { showsUsage, AbsentValue, SoldValue, Usage } from './sold-feature-cells.tsx';

interface Props {
  /** Features of other service types are listed only if the package has them. */
  readonly serviceType: ServiceType;
  readonly rows: readonly SoldFeature[];
  readonly withUsage: boolean;
  /** Null if the caller may not change the features. */
  readonly manage: FeatureManagement | null;
}

export interface FeatureManagement {
  readonly add: (code: string, values: FeatureValues) => Promise<unknown>;
  readonly targetOf: (id: string) => Omit<WriteTarget, 'fields'>;
  readonly change: (id: string, write: { body: FeatureValues; ifMatch: string }) => Promise<unknown>;
  readonly remove: (id: string, ifMatch: string) => Promise<unknown>;
}

/** The included features or, on request, all that can be added. */
export function FeaturePanel({ serviceType, rows, withUsage, manage }: Props) {
  const offered = new Set(featuresOf(serviceType).map(({ code }) => code));
  const [view, setView] = useState(rows.length === 0 && manage ? 'all' : 'sold');
  const [edited, setEdited] = useState<{ definition: FeatureDefinition; row: SoldFeature | null } | null>(null);
  const [added, setAdded] = useState<string | null>(null);
  const [removed, setRemoved] = useState<SoldFeature | null>(null);
  const { run, isBusy } = useAction();
  const byTag = new Map(rows.map((row) => [row.tag, row]));
  const listedFeatures = features.filter(({ code }) => (view === 'all' && offered.has(code)) || byTag.has(code));

  function target(id: string): WriteTarget {
    if (manage === null) throw new Error('The features cannot be changed');
    return { ...manage.targetOf(id), fields: ['value', 'resettable_period', 'resettable_interval'] };
  }

  function add(definition: FeatureDefinition): void {
    if (definition.valueType !== 'flag') return setEdited({ definition, row: null });
    if (manage) run(() => manage.add(definition.code, { value: true }), `${definition.name} is on.`);
    setAdded(definition.code);
  }

  const missingFlags = features.filter(
    ({ code, valueType }) => valueType === 'flag' && offered.has(code) && !byTag.has(code),
  );

  function addAllFlags(): void {
    if (manage === null) return;
    run(async () => {
      for (const { code } of missingFlags) await manage.add(code, { value: true });
    }, `${missingFlags.length} features have been switched on.`);
  }

  // The clicked button disappears with the new feature, so the focus moves to its row.
  const isAddedRowShown = added !== null && byTag.has(added) && edited === null;
  useEffect(() => {
    if (!isAddedRowShown) return;
    const timer = setTimeout(() => {
      document.querySelector<HTMLElement>(`[data-feature='${added}']`)?.focus();
      setAdded(null);
    }, focusDelayMs);
    return () => clearTimeout(timer);
  }, [isAddedRowShown, added]);

  return (
    <Panel
      flush
      title="Features"
      aside={
        <Group gap="xs">
          {manage && view === 'all' && missingFlags.length > 1 && (
            <Button
              size="xs"
              variant="light"
              leftSection={<IconToggleRight size={15} />}
              loading={isBusy}
              onClick={addAllFlags}
            >
              Switch all {missingFlags.length} on
            </Button>
          )}
          <SegmentedControl
            size="xs"
            value={view}
            onChange={setView}
            aria-label="Which features"
            data={[
              { value: 'sold', label: `Included (${rows.length})` },
              { value: 'all', label: `All features (${offered.size})` },
            ]}
          />
        </Group>
      }
    >
      {listedFeatures.length === 0 ? (
        <Text c="dimmed" p="lg">
          No features are included yet. Choose “All features” to add some.
        </Text>
      ) : (
        <div className="scroll-x">
          <Table className="list" data-static>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Feature</Table.Th>
                <Table.Th>Value</Table.Th>
                {withUsage && <Table.Th w="30%">Used</Table.Th>}
                {manage && (
                  <Table.Th w={90}>
                    <span className="sr-only">Actions</span>
                  </Table.Th>
                )}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {listedFeatures.map((definition) => {
                const row = byTag.get(definition.code);
                return (
                  <Table.Tr key={definition.code}>
                    <Table.Td>
                      <Text fw={row ? 540 : 400} {...(row ? {} : { c: 'dimmed' })}>
                        {row?.name ?? definition.name}
                      </Text>
                      <Text fz="xs" c="dimmed" style={{ whiteSpace: 'normal' }}>
                        {definition.description}
                      </Text>
                    </Table.Td>
                    <Table.Td data-label="Value">
                      {row ? <SoldValue row={row} showsOrigin={withUsage} /> : <AbsentValue code={definition.code} />}
                    </Table.Td>
                    {withUsage && <Table.Td>{row && showsUsage(row) && <Usage row={row} />}</Table.Td>}
                    {manage && (
                      <Table.Td ta="right" data-actions>
                        {row ? (
                          <RowMenu
                            code={row.tag}
                            name={row.name}
                            onEdit={() => setEdited({ definition, row })}
                            onRemove={() => setRemoved(row)}
                          />
                        ) : (
                          <Button
                            size="compact-xs"
                            variant="light"
                            leftSection={<IconPlus size={13} />}
                            disabled={isBusy}
                            aria-label={`Add ${definition.name}`}
                            onClick={() => add(definition)}
                          >
                            Add
                          </Button>
                        )}
                      </Table.Td>
                    )}
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {manage && edited && (
        <FeatureDialog
          definition={edited.definition}
          row={edited.row}
          onClose={() => setEdited(null)}
          onSubmit={async (body, version) => {
            const { row } = edited;
            await (row && version
              ? writeIfUnchanged(target(row.id), version, (ifMatch) => manage.change(row.id, { body, ifMatch }))
              : manage.add(edited.definition.code, body));
            setAdded(edited.definition.code);
          }}
        />
      )}
      {manage && (
        <ConfirmDialog
          isOpen={removed !== null}
          onClose={() => setRemoved(null)}
          title={`Remove “${removed?.name ?? ''}”?`}
          confirmLabel="Remove feature"
          onConfirm={async () => {
            if (removed) {
              await writeIfUnchanged(target(removed.id), versionOfListRow({ ...removed }), (ifMatch) =>
                manage.remove(removed.id, ifMatch),
              );
              run(() => Promise.resolve(), `The feature “${removed.name}” has been removed.`);
            }
          }}
        >
          {withUsage ? 'Its counted usage is deleted.' : 'Existing subscriptions keep it.'}
        </ConfirmDialog>
      )}
    </Panel>
  );
}

/** Longer than a dialog takes to close and return the focus. */
const focusDelayMs = 350;

function RowMenu(props: {
  readonly code: string;
  readonly name: string;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}) {
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <ActionIcon data-feature={props.code} variant="subtle" color="gray" aria-label={`Actions for ${props.name}`}>
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={15} />} onClick={props.onEdit}>
          Change
        </Menu.Item>
        <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={props.onRemove}>
          Remove…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
