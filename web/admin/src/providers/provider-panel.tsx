import { ActionIcon, Badge, Button, Group, Menu, Select, Stack, Switch, Table, Text } from '@mantine/core';
import { IconDots, IconPlus, IconServer, IconStar, IconTrash } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { versionOfListRow } from '../../../kit/concurrency/edit-conflict.ts';
import { writeIfUnchanged, type WriteTarget } from '../../../kit/concurrency/write-if-unchanged.ts';
import { wordOf } from '../../../kit/format/label.ts';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { FailureNotice, LoadingNotice, Placeholder } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { useAction } from '../../../kit/api/use-action.ts';
import { SelectOnEnter } from '../../../kit/form/select-on-enter.tsx';
import { useMay } from '../../../kit/noun/app.tsx';

export interface AttachedProvider {
  readonly id: string;
  readonly active: boolean;
  readonly default: boolean;
  readonly service_provider_id: string;
  readonly service_provider_name: string;
  readonly service_provider_type: string;
}

export interface ProviderSwitch {
  readonly active?: boolean;
  readonly default?: boolean;
}

export interface ProviderManagement {
  /** The providers that can still be attached. */
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly add: (id: string) => Promise<unknown>;
  readonly targetOf: (id: string) => Omit<WriteTarget, 'fields'>;
  readonly change: (id: string, write: { body: ProviderSwitch; ifMatch: string }) => Promise<unknown>;
  readonly remove: (id: string, ifMatch: string) => Promise<unknown>;
}

interface Props {
  readonly rows: readonly AttachedProvider[];
  readonly emptyText: string;
  readonly noOptionsText: string;
  readonly manage: ProviderManagement | null;
}

interface ListQuery<R extends AttachedProvider> {
  readonly data: { readonly data: readonly R[] } | undefined;
  readonly error: Error | null;
  readonly refetch: () => Promise<unknown>;
}

/** Shows the panel once the list of attached providers has loaded. */
export function AttachedProviders<R extends AttachedProvider>({
  attached,
  management,
  ...texts
}: Pick<Props, 'emptyText' | 'noOptionsText'> & {
  readonly attached: ListQuery<R>;
  /** Null if the caller may not change the providers. */
  readonly management: ((rows: readonly R[]) => ProviderManagement) | null;
}) {
  if (attached.error) return <FailureNotice error={attached.error} onRetry={() => void attached.refetch()} />;
  if (!attached.data) return <LoadingNotice />;
  const rows = attached.data.data;
  return <ProviderPanel {...texts} rows={rows} manage={management && management(rows)} />;
}

/** The providers of a package or subscription. One is the default; the others are fallbacks. */
function ProviderPanel({ rows, emptyText, noOptionsText, manage }: Props) {
  const [removed, setRemoved] = useState<AttachedProvider | null>(null);
  const { run } = useAction();
  const may = useMay();
  return (
    <Panel flush title="Providers" aside={manage && <AddProvider manage={manage} noOptionsText={noOptionsText} />}>
      {rows.length === 0 ? (
        <Placeholder title="No providers yet" icon={<IconServer stroke={1.4} />}>
          {emptyText}
        </Placeholder>
      ) : (
        <div className="scroll-x">
          <Table className="list" data-static>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Provider</Table.Th>
                <Table.Th>Type</Table.Th>
                <Table.Th>Active</Table.Th>
                {manage && (
                  <Table.Th w={60}>
                    <span className="sr-only">Actions</span>
                  </Table.Th>
                )}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row) => (
                <Table.Tr key={row.id}>
                  <Table.Td>
                    <Group gap="xs">
                      {may('readServiceProvider') ? (
                        <Link
                          to="/$noun/$id"
                          params={{ noun: 'service-providers', id: row.service_provider_id }}
                          className="link"
                        >
                          {row.service_provider_name}
                        </Link>
                      ) : (
                        <Text fw={540}>{row.service_provider_name}</Text>
                      )}
                      {row.default && (
                        <Badge variant="light" tt="none">
                          Default
                        </Badge>
                      )}
                    </Group>
                  </Table.Td>
                  <Table.Td data-label="Type">{wordOf(row.service_provider_type)}</Table.Td>
                  <Table.Td data-label="Active">
                    <Switch
                      size="sm"
                      checked={row.active}
                      disabled={manage === null}
                      aria-label={`${row.service_provider_name} is active`}
                      onChange={(event) => {
                        const active = event.currentTarget.checked;
                        run(
                          async () => manage && change(manage, row, { active }),
                          `${row.service_provider_name} is now ${active ? 'active' : 'inactive'}.`,
                        );
                      }}
                    />
                  </Table.Td>
                  {manage && (
                    <Table.Td ta="right" data-actions>
                      <Menu position="bottom-end" shadow="md">
                        <Menu.Target>
                          <ActionIcon
                            variant="subtle"
                            color="gray"
                            aria-label={`Actions for ${row.service_provider_name}`}
                          >
                            <IconDots size={17} />
                          </ActionIcon>
                        </Menu.Target>
                        <Menu.Dropdown>
                          <Menu.Item
                            leftSection={<IconStar size={15} />}
                            disabled={row.default}
                            onClick={() =>
                              run(
                                () => change(manage, row, { default: true }),
                                `${row.service_provider_name} is now the default.`,
                              )
                            }
                          >
                            Set as default
                          </Menu.Item>
                          <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={() => setRemoved(row)}>
                            Remove…
                          </Menu.Item>
                        </Menu.Dropdown>
                      </Menu>
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {manage && (
        <ConfirmDialog
          isOpen={removed !== null}
          onClose={() => setRemoved(null)}
          title={`Remove “${removed?.service_provider_name ?? ''}”?`}
          confirmLabel="Remove provider"
          onConfirm={async () => {
            if (removed === null) return;
            await writeIfUnchanged(targetOf(manage, removed), versionOfListRow({ ...removed }), (ifMatch) =>
              manage.remove(removed.id, ifMatch),
            );
            run(() => Promise.resolve(), `${removed.service_provider_name} has been removed.`);
          }}
        >
          Only an inactive provider that is not the default can be removed.
        </ConfirmDialog>
      )}
    </Panel>
  );
}

function targetOf(manage: ProviderManagement, { id }: AttachedProvider): WriteTarget {
  return { ...manage.targetOf(id), fields: ['active', 'default'] };
}

function change(manage: ProviderManagement, row: AttachedProvider, body: ProviderSwitch): Promise<unknown> {
  return writeIfUnchanged(targetOf(manage, row), versionOfListRow({ ...row }), (ifMatch) =>
    manage.change(row.id, { body, ifMatch }),
  );
}

function AddProvider({
  manage,
  noOptionsText,
}: {
  readonly manage: ProviderManagement;
  readonly noOptionsText: string;
}) {
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const { run } = useAction();
  return (
    <Menu
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      shadow="md"
      width={300}
      trapFocus
      closeOnItemClick={false}
    >
      <Menu.Target>
        <Button size="xs" variant="light" leftSection={<IconPlus size={14} />}>
          Add a provider
        </Button>
      </Menu.Target>
      <Menu.Dropdown p="sm">
        {manage.options.length === 0 ? (
          <Text c="dimmed" fz="sm">
            {noOptionsText}
          </Text>
        ) : (
          <Stack gap="sm">
            <SelectOnEnter>
              <Select
                label="Provider"
                placeholder="Choose a provider"
                searchable
                value={chosen}
                data={[...manage.options]}
                onChange={setChosen}
                comboboxProps={{ withinPortal: false }}
              />
            </SelectOnEnter>
            <Button
              size="xs"
              disabled={chosen === null}
              onClick={() => {
                setOpen(false);
                setChosen(null);
                if (chosen !== null) run(() => manage.add(chosen), 'The provider has been added.');
              }}
            >
              Add
            </Button>
          </Stack>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
