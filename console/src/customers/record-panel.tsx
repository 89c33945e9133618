import { ActionIcon, Badge, Button, Group, Menu, Text } from '@mantine/core';
import { IconDots, IconPencil, IconPlus, IconStar, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { changeBody, creationBody, type FormValues, initialValues } from '../fields/form-values.ts';
import { formFieldsOf } from '../fields/form-fields.ts';
import { lowered, wordOf } from '../fields/label.ts';
import { FormDrawer } from '../form/form-drawer.tsx';
import { bodyOf } from '../form/use-creation.tsx';
import { ConfirmDialog } from '../layout/confirm-dialog.tsx';
import { CopyAction } from '../layout/copyable.tsx';
import { FailureNotice, LoadingNotice, NothingYet } from '../layout/notices.tsx';
import { Panel } from '../layout/page-header.tsx';
import { showDone } from '../layout/toasts.ts';
import { useAction } from '../layout/use-action.ts';
import { type Row, text } from '../nouns/noun.ts';
import { callEndpoint, refreshEverything } from '../platform.ts';
import { useMay } from '../session/caller.tsx';
import type { RecordKind } from './record-kinds.ts';

/** The addresses, telephones or legal documents of a customer. */
export function RecordPanel({ kind, customer }: { readonly kind: RecordKind; readonly customer: Row }) {
  const may = useMay();
  const [edited, setEdited] = useState<Row | 'new' | null>(null);
  const [removed, setRemoved] = useState<Row | null>(null);
  const { run } = useAction();
  const params = { customer_id: customer.id };
  const found = useQuery({
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
  const rows = found.data?.data ?? [];
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
      {found.error && !found.data ? (
        <FailureNotice error={found.error} onRetry={() => void found.refetch()} />
      ) : !found.data ? (
        <LoadingNotice />
      ) : rows.length === 0 ? (
        <NothingYet title={`No ${lowered(kind.title)} yet`} icon={<kind.icon stroke={1.4} />}>
          {kind.nothing}
        </NothingYet>
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
                  {row['default'] === true && (
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
                        disabled={row['default'] === true}
                        onClick={() =>
                          run(
                            () =>
                              callEndpoint(kind.update, {
                                params: { ...params, [kind.param]: row.id },
                                body: { default: true },
                              }),
                            'It is the default now.',
                          )
                        }
                      >
                        Make it the default
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
          await callEndpoint(kind.remove, { params: { ...params, [kind.param]: removed.id } });
          await refreshEverything();
          showDone(`The ${kind.singular} has been removed.`);
        }}
      >
        {removed?.['default'] === true
          ? 'It is the default of its kind: the oldest other one takes its place.'
          : 'It is gone for good.'}
      </ConfirmDialog>
    </Panel>
  );
}

function RecordLines({ kind, row }: { readonly kind: RecordKind; readonly row: Row }) {
  const [first, ...others] = kind.linesOf(row).filter((line) => line !== '');
  const isCopied = kind.typeMember !== 'address_type';
  return (
    <div>
      <Group gap={2} wrap="nowrap">
        <Text fw={540} style={{ overflowWrap: 'anywhere' }}>
          {first}
        </Text>
        {isCopied && <CopyAction value={text(row, 'number') || text(row, 'value')} label={kind.singular} />}
      </Group>
      {others.map((line) => (
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
  const all = formFieldsOf(bodyOf(isCreation ? kind.create : kind.update));
  // What is the default stays it until another one takes its place.
  const fields = all
    .filter(({ name }) => name !== 'default' || isCreation || row['default'] !== true)
    .map((field) => ({ ...field, label: kind.labels?.[field.name] ?? field.label }));

  async function submit(values: FormValues): Promise<void> {
    if (isCreation) {
      await callEndpoint(kind.create, { params, body: creationBody(fields, values) });
    } else {
      const body = changeBody(fields, initialValues(fields, row), values);
      if (Object.keys(body).length > 0)
        await callEndpoint(kind.update, { params: { ...params, [kind.param]: row.id }, body });
    }
    await refreshEverything();
    showDone(isCreation ? `The ${kind.singular} has been added.` : 'Saved.');
    onClose();
  }

  return (
    <FormDrawer
      title={isCreation ? `New ${kind.singular}` : `Change the ${kind.singular}`}
      isOpen
      onClose={onClose}
      fields={fields}
      groups={kind.groups}
      hints={kind.hints}
      stored={isCreation ? kind.defaultsFor(customer) : row}
      isCreation={isCreation}
      submitLabel={isCreation ? `Add ${kind.singular}` : 'Save'}
      onSubmit={submit}
    />
  );
}

function shortOf(kind: RecordKind, row: Row): string {
  return kind.linesOf(row).find((line) => line !== '') ?? '';
}
