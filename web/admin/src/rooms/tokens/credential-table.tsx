import { ActionIcon, Button, Group, Menu, Table } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDots, IconKey, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { versionOfListRow } from '../../../../kit/concurrency/edit-conflict.ts';
import { writeIfUnchanged, type WriteTarget } from '../../../../kit/concurrency/write-if-unchanged.ts';
import type { FormField } from '../../../../kit/form/form-fields.ts';
import { creationBody, type FormValues } from '../../../../kit/form/form-values.ts';
import { type Edit, EditDrawer } from '../../../../kit/form/edit-form.tsx';
import { FormDrawer } from '../../../../kit/form/form-drawer.tsx';
import { ConfirmDialog } from '../../../../kit/dialog/confirm-dialog.tsx';
import { FailureNotice, LoadingNotice, NothingYet } from '../../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../../kit/display/page-header.tsx';
import { showDone } from '../../../../kit/display/notices/toasts.ts';
import { refreshEverything } from '../../../../kit/api/client.ts';
import { PastExpiry } from './expiry.tsx';

interface Props<Key extends { readonly id: string }> {
  readonly title: string;
  readonly singular: string;
  readonly emptyText: string;
  readonly query: Pick<UseQueryResult<{ data: Key[] }>, 'data' | 'error' | 'refetch'>;
  readonly head: readonly string[];
  readonly nameOf: (key: Key) => string;
  readonly cells: (key: Key) => readonly ReactNode[];
  readonly creationFields: readonly FormField[];
  readonly changeFields: readonly FormField[];
  readonly defaults: FormValues;
  readonly hints: Readonly<Record<string, string>>;
  readonly create: (body: Record<string, unknown>) => Promise<{ data: Key }>;
  readonly targetOf: (id: string) => Omit<WriteTarget, 'members'>;
  readonly change: (id: string, write: { body: Record<string, unknown>; ifMatch: string }) => Promise<unknown>;
  readonly remove: (id: string, ifMatch: string) => Promise<unknown>;
  /** Says in the confirmation what deleting one changes. */
  readonly removalText: string;
  /** Shown for a new one, to be copied at once. */
  readonly createdContent: (key: Key) => ReactNode;
  /** Shown above the rows, for filters. */
  readonly toolbar?: ReactNode;
  /** Shown below the rows, for paging. */
  readonly footer?: ReactNode;
  /** Shown if no rows match the filters. */
  readonly nothingMatches?: string | null;
}

/** Table of room tokens or access codes with forms to create, edit and delete them. */
export function CredentialTable<Key extends { readonly id: string }>(props: Props<Key>) {
  const [isMaking, setMaking] = useState(false);
  const [changed, setChanged] = useState<Key | null>(null);
  const [removed, setRemoved] = useState<Key | null>(null);
  const { query, singular } = props;

  function targetOf(id: string): WriteTarget {
    return { ...props.targetOf(id), members: props.changeFields.map(({ name }) => name) };
  }

  async function create(values: FormValues): Promise<void> {
    const { data } = await props.create(creationBody(props.creationFields, values));
    await refreshEverything();
    setMaking(false);
    notifications.show({
      title: `The ${singular} has been created.`,
      message: props.createdContent(data),
      color: 'pine',
      withBorder: true,
      autoClose: 8000,
    });
  }

  async function change(id: string, { changed: body, ifMatch }: Edit): Promise<void> {
    if (Object.keys(body).length > 0) await props.change(id, { body, ifMatch });
    await refreshEverything();
    setChanged(null);
    showDone('Saved.');
  }

  async function remove(): Promise<void> {
    if (removed === null) return;
    const { id } = removed;
    await writeIfUnchanged(targetOf(id), versionOfListRow({ ...removed }), (ifMatch) => props.remove(id, ifMatch));
    await refreshEverything();
    showDone(`The ${singular} has been deleted.`);
  }

  const newButton = (
    <Button size="xs" variant="light" leftSection={<IconPlus size={14} />} onClick={() => setMaking(true)}>
      New {singular}
    </Button>
  );
  return (
    <Panel flush title={props.title} aside={newButton}>
      {props.toolbar}
      {query.error ? (
        <FailureNotice error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <LoadingNotice />
      ) : query.data.data.length === 0 ? (
        <NothingYet
          title={props.nothingMatches ? 'Nothing matches' : `No ${props.title.toLowerCase()} yet`}
          icon={<IconKey stroke={1.4} />}
        >
          {props.nothingMatches ?? props.emptyText}
        </NothingYet>
      ) : (
        <div className="scroll-x">
          <Table className="list" data-still>
            <Table.Thead>
              <Table.Tr>
                {props.head.map((label) => (
                  <Table.Th key={label}>{label}</Table.Th>
                ))}
                <Table.Th w={60}>
                  <span className="sr-only">Actions</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {query.data.data.map((key) => (
                <Table.Tr key={key.id}>
                  {props.cells(key).map((cell, index) => (
                    <Table.Td key={props.head[index]} {...(index === 0 ? {} : { 'data-label': props.head[index] })}>
                      {cell}
                    </Table.Td>
                  ))}
                  <Table.Td ta="right" data-actions>
                    <KeyMenu name={props.nameOf(key)} onEdit={() => setChanged(key)} onRemove={() => setRemoved(key)} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {props.footer}
      <FormDrawer
        title={`New ${singular}`}
        isOpen={isMaking}
        onClose={() => setMaking(false)}
        fields={props.creationFields}
        groups={[]}
        hints={props.hints}
        stored={props.defaults}
        isCreation
        preview={PastExpiry}
        submitLabel={`Create ${singular}`}
        onSubmit={create}
      />
      {changed !== null && (
        <EditDrawer
          title={`Edit ${props.nameOf(changed)}`}
          isOpen
          onClose={() => setChanged(null)}
          target={targetOf(changed.id)}
          fields={props.changeFields}
          groups={[]}
          hints={props.hints}
          isCreation={false}
          preview={PastExpiry}
          submitLabel="Save"
          onSave={(_values, edit) => change(changed.id, edit)}
        />
      )}
      <ConfirmDialog
        isOpen={removed !== null}
        onClose={() => setRemoved(null)}
        title={removed === null ? '' : `Delete “${props.nameOf(removed)}”?`}
        confirmLabel={`Delete ${singular}`}
        onConfirm={remove}
      >
        {props.removalText}
      </ConfirmDialog>
    </Panel>
  );
}

function KeyMenu(props: { readonly name: string; readonly onEdit: () => void; readonly onRemove: () => void }) {
  return (
    <Group justify="flex-end">
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${props.name}`}>
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={15} />} onClick={props.onEdit}>
            Edit
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={props.onRemove}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
