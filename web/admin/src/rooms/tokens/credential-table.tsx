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
import { FailureNotice, LoadingNotice, Placeholder } from '../../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../../kit/display/page-header.tsx';
import { showDone } from '../../../../kit/display/notices/toasts.ts';
import { refreshEverything } from '../../../../kit/api/client.ts';
import { PastExpiryWarning } from './expiry.tsx';

interface Props<Credential extends { readonly id: string }> {
  readonly title: string;
  readonly singular: string;
  readonly emptyText: string;
  readonly query: Pick<UseQueryResult<{ data: Credential[] }>, 'data' | 'error' | 'refetch'>;
  readonly head: readonly string[];
  readonly nameOf: (credential: Credential) => string;
  readonly cells: (credential: Credential) => readonly ReactNode[];
  readonly creationFields: readonly FormField[];
  readonly changeFields: readonly FormField[];
  readonly defaults: FormValues;
  readonly hints: Readonly<Record<string, string>>;
  readonly create: (body: Record<string, unknown>) => Promise<{ data: Credential }>;
  readonly targetOf: (id: string) => Omit<WriteTarget, 'fields'>;
  readonly change: (id: string, write: { body: Record<string, unknown>; ifMatch: string }) => Promise<unknown>;
  readonly remove: (id: string, ifMatch: string) => Promise<unknown>;
  /** The effect of deleting a credential, shown in the confirmation. */
  readonly removalText: string;
  /** Shown after creation, such as a link to copy. */
  readonly createdContent: (credential: Credential) => ReactNode;
  /** Shown above the rows, for filters. */
  readonly toolbar?: ReactNode;
  /** Shown below the rows, for paging. */
  readonly footer?: ReactNode;
  /** Shown if no rows match the filters; null without filters. */
  readonly noMatchesText?: string | null;
}

/** Table of room tokens or access codes with forms to create, edit and delete them. */
export function CredentialTable<Credential extends { readonly id: string }>(props: Props<Credential>) {
  const [isCreating, setCreating] = useState(false);
  const [edited, setEdited] = useState<Credential | null>(null);
  const [credentialToDelete, setCredentialToDelete] = useState<Credential | null>(null);
  const { query, singular } = props;

  function targetOf(id: string): WriteTarget {
    return { ...props.targetOf(id), fields: props.changeFields.map(({ name }) => name) };
  }

  async function create(values: FormValues): Promise<void> {
    const { data } = await props.create(creationBody(props.creationFields, values));
    await refreshEverything();
    setCreating(false);
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
    setEdited(null);
    showDone('Saved.');
  }

  async function remove(): Promise<void> {
    if (credentialToDelete === null) return;
    const { id } = credentialToDelete;
    await writeIfUnchanged(targetOf(id), versionOfListRow({ ...credentialToDelete }), (ifMatch) =>
      props.remove(id, ifMatch),
    );
    await refreshEverything();
    showDone(`The ${singular} has been deleted.`);
  }

  const newButton = (
    <Button size="xs" variant="light" leftSection={<IconPlus size={14} />} onClick={() => setCreating(true)}>
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
        <Placeholder
          title={props.noMatchesText ? 'Nothing matches' : `No ${props.title.toLowerCase()} yet`}
          icon={<IconKey stroke={1.4} />}
        >
          {props.noMatchesText ?? props.emptyText}
        </Placeholder>
      ) : (
        <div className="scroll-x">
          <Table className="list" data-static>
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
              {query.data.data.map((credential) => (
                <Table.Tr key={credential.id}>
                  {props.cells(credential).map((cell, index) => (
                    <Table.Td key={props.head[index]} {...(index === 0 ? {} : { 'data-label': props.head[index] })}>
                      {cell}
                    </Table.Td>
                  ))}
                  <Table.Td ta="right" data-actions>
                    <CredentialMenu
                      name={props.nameOf(credential)}
                      onEdit={() => setEdited(credential)}
                      onRemove={() => setCredentialToDelete(credential)}
                    />
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
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        fields={props.creationFields}
        groups={[]}
        hints={props.hints}
        stored={props.defaults}
        isCreation
        preview={PastExpiryWarning}
        submitLabel={`Create ${singular}`}
        onSubmit={create}
      />
      {edited !== null && (
        <EditDrawer
          title={`Edit ${props.nameOf(edited)}`}
          isOpen
          onClose={() => setEdited(null)}
          target={targetOf(edited.id)}
          fields={props.changeFields}
          groups={[]}
          hints={props.hints}
          isCreation={false}
          preview={PastExpiryWarning}
          submitLabel="Save"
          onSave={(_values, edit) => change(edited.id, edit)}
        />
      )}
      <ConfirmDialog
        isOpen={credentialToDelete !== null}
        onClose={() => setCredentialToDelete(null)}
        title={credentialToDelete === null ? '' : `Delete “${props.nameOf(credentialToDelete)}”?`}
        confirmLabel={`Delete ${singular}`}
        onConfirm={remove}
      >
        {props.removalText}
      </ConfirmDialog>
    </Panel>
  );
}

function CredentialMenu(props: { readonly name: string; readonly onEdit: () => void; readonly onRemove: () => void }) {
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
