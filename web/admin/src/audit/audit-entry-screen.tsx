import { Badge, Group, SimpleGrid, Stack, Tooltip } from '@mantine/core';
import { IconHistory, IconLock, IconLockOpen } from '@tabler/icons-react';
import { DifferenceTable } from './difference-table.tsx';
import { ActorName, nameOfObject, SubjectCell } from './entry-cells.tsx';
import { DetailPage } from '../resource/detail-page.tsx';
import { FactList, IdentityPanel } from '../../../kit/display/facts.tsx';
import { Absent, NamedReference } from '../../../kit/display/field-value.tsx';
import { formatInstant } from '../../../kit/format/instants.ts';
import { wordOf } from '../../../kit/format/label.ts';
import { toText } from '../../../kit/format/to-text.ts';
import { Copyable } from '../../../kit/display/copyable.tsx';
import { LinkButton } from '../../../kit/display/links.ts';
import { Panel } from '../../../kit/display/page-header.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { nounIndex, nouns } from '../nouns/nouns.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { ScreenProps } from '../resource/screen-props.ts';
import type { AuditEntryRow } from '../nouns/rows.ts';

type Values = Readonly<Record<string, unknown>> | null;

/** One audit entry: actor, resource, origin and previous values. */
export function AuditEntryScreen({ row }: ScreenProps<AuditEntryRow>) {
  const may = useMay();
  const at = toText(row.occurred_at);
  const customerId = toText(row.customer_id);
  const resourceId = toText(row.resource_id);
  return (
    <DetailPage
      noun={nouns.auditEntries}
      row={row}
      badges={<SealBadge isSealed={row.sealed} />}
      summary={
        <>
          {formatInstant(at)} · <RelativeTime instant={at} />
        </>
      }
      actions={
        resourceId !== '' && (
          <LinkButton
            to="/$noun"
            params={{ noun: 'audit-log' }}
            search={{ only: `resource_id:${resourceId}` }}
            variant="default"
            leftSection={<IconHistory size={16} />}
          >
            Full history
          </LinkButton>
        )
      }
      sections={[
        {
          key: 'entry',
          title: 'Entry',
          content: (
            <Stack gap="lg">
              <Panel flush title={titleOf(row.old_values, row.new_values)}>
                <DifferenceTable before={row.old_values} after={row.new_values} />
              </Panel>
              <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
                <Panel title="Who">
                  <FactList
                    facts={[
                      ['Actor', <ActorName key="actor" row={row} />],
                      ['Actor type', wordOf(toText(row.actor_type))],
                      ['Through', toText(row.client_name) || <Absent key="client" />],
                      ['Address', copyable(row.address, 'address')],
                      ['Request', copyable(row.request_id, 'request id')],
                    ]}
                  />
                </Panel>
                <Panel title="What">
                  <FactList
                    facts={[
                      ['Event', copyable(row.action, 'event')],
                      ['Resource', <SubjectCell key="resource" row={row} />],
                      ['Id', copyable(row.resource_id, 'id')],
                      [
                        'Customer',
                        customerId === '' ? (
                          <Absent key="none" />
                        ) : may('readCustomer') ? (
                          <NamedReference key="customer" noun={nouns.customers} id={customerId} />
                        ) : (
                          customerId
                        ),
                      ],
                      [
                        'Change',
                        row.sequence === null ? (
                          <Absent key="none" />
                        ) : (
                          `No. ${toText(row.sequence)} of this ${nounIndex.findByObject(toText(row.resource_type))?.singular ?? nameOfObject(toText(row.resource_type)).toLowerCase()}`
                        ),
                      ],
                    ]}
                  />
                </Panel>
              </SimpleGrid>
              <IdentityPanel noun={nouns.auditEntries} row={row} />
            </Stack>
          ),
        },
      ]}
    />
  );
}

function titleOf(before: Values, after: Values): string {
  if (before === null) return 'Initial values';
  return after === null ? 'Deleted values' : 'Changes';
}

function copyable(value: unknown, label: string) {
  return toText(value) === '' ? <Absent key={label} /> : <Copyable key={label} value={toText(value)} label={label} />;
}

function SealBadge({ isSealed }: { readonly isSealed: boolean }) {
  return (
    <Tooltip
      multiline
      w={260}
      label={
        isSealed
          ? 'This entry is part of the tamper-evident chain: a later change or removal would be detected.'
          : 'This entry will be added to the tamper-evident chain within two minutes.'
      }
    >
      <Badge
        variant="light"
        color={isSealed ? 'pine' : 'gray'}
        tt="none"
        fw={560}
        tabIndex={0}
        leftSection={
          <Group>{isSealed ? <IconLock size={12} aria-hidden /> : <IconLockOpen size={12} aria-hidden />}</Group>
        }
      >
        {isSealed ? 'Sealed' : 'Not sealed yet'}
      </Badge>
    </Tooltip>
  );
}
