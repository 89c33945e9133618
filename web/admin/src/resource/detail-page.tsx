import { ActionIcon, Button, Group, Menu, Tabs } from '@mantine/core';
import { IconChevronLeft, IconDots, IconHistory, IconPencil, IconTrash } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useChange } from './actions/use-change.tsx';
import { Copyable } from '../../../kit/display/copyable.tsx';
import { LinkAnchor } from '../../../kit/display/links.ts';
import { PageHeader } from '../../../kit/display/page-header.tsx';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { CustomerBadge, CustomerNotice, HeldBadge } from '../customers/customer-status.tsx';
import type { Noun, Row } from '../../../kit/noun/noun.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { useDeletion } from './actions/use-deletion.tsx';
import { useStatusChange } from './actions/use-status-change.tsx';

export interface Section {
  readonly key: string;
  readonly title: string;
  readonly content: ReactNode;
  readonly hidden?: boolean;
}

interface Props {
  readonly noun: Noun;
  readonly row: Row;
  readonly badges?: ReactNode;
  readonly summary?: ReactNode;
  /** The target of the back link, if it is not the list of the noun. */
  readonly list?: { readonly to: '/settings'; readonly search: { readonly tab: string } };
  /** Actions before "Edit". */
  readonly actions?: ReactNode;
  /** Menu items above "Delete". */
  readonly menu?: ReactNode;
  /** The dialogs of the menu items. */
  readonly dialogs?: ReactNode;
  /** Notices above the sections. */
  readonly notice?: ReactNode;
  readonly sections: readonly Section[];
}

/** The page of a resource: title, actions and sections as tabs. */
export function DetailPage(props: Props) {
  const { noun, row, badges, summary, actions, menu, dialogs, notice, sections } = props;
  const change = useChange(noun, row);
  const status = useStatusChange(noun, row);
  const deletion = useDeletion(noun, row, status.ask);
  const may = useMay();
  const navigate = useNavigate();
  const hasHistory = may('listAuditEntries') && !noun.isUnaudited && !noun.isLog;
  return (
    <>
      <PageHeader
        title={noun.titleOf(row)}
        above={
          <LinkAnchor
            {...(props.list ?? ({ to: '/$noun', params: { noun: noun.path } } as const))}
            fz="sm"
            c="dimmed"
            display="inline-flex"
            mb={6}
            style={{ alignItems: 'center', gap: 2 }}
          >
            <IconChevronLeft size={14} />
            {noun.plural}
          </LinkAnchor>
        }
        badges={
          badges ??
          (typeof row.status === 'string' && (
            <Group gap={6}>
              <StatusBadge value={row.status} />
              <CustomerBadge row={row} />
              <HeldBadge row={row} />
            </Group>
          ))
        }
        summary={summary ?? <Copyable value={row.id} label="id" />}
        actions={
          <>
            {actions}
            <Group gap="xs" wrap="nowrap">
              {change.isAllowed && (
                <Button variant="default" leftSection={<IconPencil size={16} />} onClick={change.open}>
                  Edit
                </Button>
              )}
              {(deletion.isAllowed || menu || status.moves.length > 0 || hasHistory) && (
                <Menu position="bottom-end" shadow="md" width={230}>
                  <Menu.Target>
                    <ActionIcon variant="default" size={36} aria-label="More actions">
                      <IconDots size={18} />
                    </ActionIcon>
                  </Menu.Target>
                  <Menu.Dropdown>
                    {menu}
                    {status.moves.length > 0 && (
                      <>
                        <Menu.Divider />
                        {status.items}
                        <Menu.Divider />
                      </>
                    )}
                    {hasHistory && (
                      <Menu.Item
                        leftSection={<IconHistory size={16} />}
                        onClick={() =>
                          void navigate({
                            to: '/$noun',
                            params: { noun: 'audit-log' },
                            search: { only: `resource_id:${row.id}` },
                          })
                        }
                      >
                        History
                      </Menu.Item>
                    )}
                    {deletion.isAllowed && (
                      <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={deletion.open}>
                        Delete {noun.singular}…
                      </Menu.Item>
                    )}
                  </Menu.Dropdown>
                </Menu>
              )}
            </Group>
          </>
        }
      />
      {notice}
      <CustomerNotice row={row} />
      <Sections sections={sections.filter(({ hidden }) => !hidden)} />
      {change.drawer}
      {deletion.dialog}
      {dialogs}
      {status.dialog}
    </>
  );
}

/** Sections as tabs. The open tab is in the URL. */
export function Sections({ sections }: { readonly sections: readonly Section[] }) {
  const { tab } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [first] = sections;
  if (first === undefined) return null;
  if (sections.length === 1) return <>{first.content}</>;
  const current = sections.find(({ key }) => key === tab) ?? first;
  return (
    <Tabs
      value={current.key}
      keepMounted={false}
      onChange={(key) =>
        void navigate({ to: '.', search: key === first.key || key === null ? {} : { tab: key }, replace: true })
      }
    >
      <div className="tab-strip">
        <Tabs.List style={{ flexWrap: 'nowrap' }}>
          {sections.map(({ key, title }) => (
            <Tabs.Tab key={key} value={key} ref={key === current.key ? scrollTabIntoView : null}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </div>
      {sections.map(({ key, content }) => (
        <Tabs.Panel key={key} value={key}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** Scrolls the open tab into view, since not all tabs fit on a phone. */
function scrollTabIntoView(tab: HTMLElement | null): void {
  const strip = tab?.closest('.tab-strip');
  if (!tab || !strip) return;
  const [outer, inner] = [strip.getBoundingClientRect(), tab.getBoundingClientRect()];
  strip.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
}
