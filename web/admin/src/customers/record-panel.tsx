import { ActionIcon, Badge, Button, Group, Menu, Text } from '@mantine/core';
import { IconDots, IconPencil, IconPlus, IconStar, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { creationBody } from '../../../kit/form/form-values.ts';
import { versionOfListRow } from '../../../kit/concurrency/edit-conflict.ts';
import { writeIfUnchanged } from '../../../kit/concurrency/write-if-unchanged.ts';
import { formFieldsOf } from '../../../kit/form/form-fields.ts';
import { lowered, wordOf } from '../../../kit/format/label.ts';
import { EditDrawer } from '../../../kit/form/edit-form.tsx';
import { FormDrawer } from '../../../kit/form/form-drawer.tsx';
import { bodyOf } from '../resource/actions/use-creation.tsx';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { CopyAction } from '../../../kit/display/copyable.tsx';
import { FailureNotice, LoadingNotice, Placeholder } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { useAction } from '../../../kit/api/use-action.ts';
import { type Row, text } from '../../../kit/noun/noun.ts';
import { callEndpoint, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { RecordKind } from './record-kinds.ts';

/** The addresses, telephones or legal documents of a customer. */
export function RecordPanel({ kind, customer }: { readonly kind: RecordKind; readonly customer: Row }) {
  const may = useMay();
  const [edited, setEdited] = useState<Row | 'new' | null>(null);
  const [removed, setRemoved] = useState<Row | null>(null);
  const { run } = useAction();
  const params = { customer_id: customer.id };
  const result = useQuery({
    queryKey: [kind.list, customer.id],
    queryFn: ({ signal }) =>
      callEndpoint(kind.list, {
        params,
        query: { limit: 0, orderBy: 'created_at', sortedBy: 'asc' },
        signal,
      }) as Promise<{
        data: readonly Row[];
      }>,
  });
  const rows = result.data?.data ?? [];

  function write(row: Row, fields: readonly string[], send: (write: WriteOptions) => Promise<unknown>) {
    const target = targetOf(kind, customer, row);
    return writeIfUnchanged({ ...target, fields }, versionOfListRow(row), (ifMatch) =>
      send({ params: target.params, ifMatch }),
    );
  }

  const name = (row: Row) => `${lowered(wordOf(text(row, kind.typeMember)))} ${shortOf(kind, row)}`;
  return (
    <Panel
      flush
      title={kind.title}
      aside={
        may(kind.create) && (
          <Button size="xs" variant="light" leftSection={<IconPlus size={14} />} onClick={() => setEdited('new')}>
            Add {kind.singular}
          </Button>
        )
      }
    >
      {result.error && !result.data ? (
        <FailureNotice error={result.error} onRetry={() => void result.refetch()} />
      ) : !result.data ? (
        <LoadingNotice />
      ) : rows.length === 0 ? (
        <Placeholder title={`No ${lowered(kind.title)} yet`} icon={<kind.icon stroke={1.4} />}>
          {kind.emptyText}
        </Placeholder>
      ) : (
        <ul className="records" aria-label={kind.title}>
          {rows.map((row) => (
            <li key={row.id} className="record">
              <kind.icon size={18} stroke={1.5} />
              <div className="record-text">
                <Group gap={6}>
                  <Text fz="sm" c="dimmed">
                    {wordOf(text(row, kind.typeMember))}
                  </Text>
                  {row.default === true && (
                    <Badge size="sm" variant="light" tt="none">
                      Default
                    </Badge>
                  )}
                </Group>
                <RecordLines kind={kind} row={row} />
              </div>
              {may(kind.update) && (
                <Menu position="bottom-end" shadow="md">
                  <Menu.Target>
                    <ActionIcon variant="subtle" color="gray" aria-label={`Actions for the ${name(row)}`}>
                      <IconDots size={17} />
                    </ActionIcon>
                  </Menu.Target>
                  <Menu.Dropdown>
                    <Menu.Item leftSection={<IconPencil size={15} />} onClick={() => setEdited(row)}>
                      Change
                    </Menu.Item>
                    {kind.hasDefault && (
                      <Menu.Item
                        leftSection={<IconStar size={15} />}
                        disabled={row.default === true}
                        onClick={() =>
                          run(
                            () =>
                              write(row, ['default'], (write) =>
                                callEndpoint(kind.update, { ...write, body: { default: true } }),
                              ),
                            `This ${kind.singular} is now the default.`,
                          )
                        }
                      >
                        Set as default
                      </Menu.Item>
                    )}
                    <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={() => setRemoved(row)}>
                      Remove…
                    </Menu.Item>
                  </Menu.Dropdown>
                </Menu>
              )}
            </li>
          ))}
        </ul>
      )}
      {edited && <RecordDrawer kind={kind} customer={customer} row={edited} onClose={() => setEdited(null)} />}
      <ConfirmDialog
        isOpen={removed !== null}
        onClose={() => setRemoved(null)}
        title={removed ? `Remove the ${name(removed)}?` : ''}
        confirmLabel={`Remove ${kind.singular}`}
        onConfirm={async () => {
          if (removed === null) return;
          await write(removed, Object.keys(kind.resource.fields), (write) => callEndpoint(kind.remove, write));
          await refreshEverything();
          showDone(`The ${kind.singular} has been removed.`);
        }}
      >
        {removed?.['default'] === true
          ? 'This is the default of its type. The oldest of the others becomes the default.'
          : 'It is deleted permanently.'}
      </ConfirmDialog>
    </Panel>
  );
}

interface WriteOptions {
  readonly params: Readonly<Record<string, string>>;
  readonly ifMatch: string;
}

function RecordLines({ kind, row }: { readonly kind: RecordKind; readonly row: Row }) {
  const [firstLine, ...moreLines] = kind.linesOf(row).filter((line) => line !== '');
  const hasCopyButton = kind.typeMember !== 'address_type';
  return (
    <div>
      <Group gap={2} wrap="nowrap">
        <Text fw={540} style={{ overflowWrap: 'anywhere' }}>
          {firstLine}
        </Text>
        {hasCopyButton && <CopyAction value={text(row, 'number') || text(row, 'value')} label={kind.singular} />}
      </Group>
      {moreLines.map((line) => (
        <Text key={line} fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {line}
        </Text>
      ))}
    </div>
  );
}

function RecordDrawer(props: {
  readonly kind: RecordKind;
  readonly customer: Row;
  readonly row: Row | 'new';
  readonly onClose: () => void;
}) {
  const { kind, customer, row, onClose } = props;
  const isCreation = row === 'new';
  const params = { customer_id: customer.id };
  const allFields = formFieldsOf(bodyOf(isCreation ? kind.create : kind.update));
  // The default record stays the default until another record replaces it.
  const fields = allFields
    .filter(({ name }) => name !== 'default' || isCreation || row.default !== true)
    .map((field) => ({ ...field, label: kind.labels?.[field.name] ?? field.label }));

  async function finish(doneText: string): Promise<void> {
    await refreshEverything();
    showDone(doneText);
    onClose();
  }

  const sharedProps = { fields, isOpen: true, onClose, groups: kind.groups, hints: kind.hints };
  if (isCreation) {
    return (
      <FormDrawer
        {...sharedProps}
        title={`New ${kind.singular}`}
        stored={kind.defaultsFor(customer)}
        isCreation
        submitLabel={`Add ${kind.singular}`}
        onSubmit={async (values) => {
          await callEndpoint(kind.create, { params, body: creationBody(fields, values) });
          await finish(`The ${kind.singular} has been added.`);
        }}
      />
    );
  }
  const target = targetOf(kind, customer, row);
  return (
    <EditDrawer
      {...sharedProps}
      title={`Change the ${kind.singular}`}
      target={{ ...target, fields: fields.map(({ name }) => name) }}
      isCreation={false}
      submitLabel="Save"
      onSave={async (_values, { changed: body, ifMatch }) => {
        if (Object.keys(body).length > 0) await callEndpoint(kind.update, { params: target.params, body, ifMatch });
        await finish('Saved.');
      }}
    />
  );
}

function targetOf(kind: RecordKind, customer: Row, row: Row) {
  return { read: kind.read, params: { customer_id: customer.id, [kind.param]: row.id } };
}

function shortOf(kind: RecordKind, row: Row): string {
  return kind.linesOf(row).find((line) => line !== '') ?? '';
}
