import { Badge, Code, SimpleGrid, Stack } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { DifferenceTable } from '../audit/difference-table.tsx';
import { nameOfObject } from '../audit/entry-cells.tsx';
import { DetailPage } from '../resource/detail-page.tsx';
import { CopyAction, Copyable } from '../../../kit/display/copyable.tsx';
import { FactList, IdentityPanel } from '../../../kit/display/facts.tsx';
import { Absent, NamedReference } from '../../../kit/display/field-value.tsx';
import { LinkButton } from '../../../kit/display/links.ts';
import { Panel } from '../../../kit/display/page-header.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { formatInstant } from '../../../kit/format/instants.ts';
import { wordOf } from '../../../kit/format/label.ts';
import { toText } from '../../../kit/format/to-text.ts';
import { nouns } from '../nouns/nouns.ts';
import type { EventRow } from '../nouns/rows.ts';
import type { ScreenProps } from '../resource/screen-props.ts';
import type { Members } from './event-changes.ts';
import { Sentence } from './sentence.tsx';

/** One event: its sentence, the changes, and the resource at that time. */
export function EventScreen({ row }: ScreenProps<EventRow>) {
  const { data, previous, actor } = row;
  const isDeleted = row.name.endsWith('.deleted');
  const hasChanges = previous !== null && Object.keys(previous).length > 0;
  const json = JSON.stringify(row, null, 2);
  return (
    <DetailPage
      noun={nouns.events}
      row={row}
      badges={
        <Badge variant="light" color="gray" tt="none" fw={560}>
          {row.name}
        </Badge>
      }
      summary={
        <>
          <Sentence event={row} /> · <RelativeTime instant={row.occurred_at} />
        </>
      }
      actions={
        <LinkButton
          to="/$noun"
          params={{ noun: 'events' }}
          search={{ only: `resource_id:${row.resource_id}` }}
          variant="default"
          leftSection={<IconHistory size={16} />}
        >
          All events of this resource
        </LinkButton>
      }
      sections={[
        {
          key: 'event',
          title: 'Event',
          content: (
            <Stack gap="lg">
              {hasChanges && (
                <Panel flush title="What changed">
                  <DifferenceTable
                    before={omitIdentifiers(previous)}
                    after={omitIdentifiers(pick(data, Object.keys(previous)))}
                  />
                </Panel>
              )}
              <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
                <Panel title="Who and what">
                  <FactList
                    facts={[
                      ['When', formatInstant(row.occurred_at)],
                      ['Actor', actor.type === 'system' ? 'The platform' : toText(actor.name) || wordOf(actor.type)],
                      ['Kind of actor', wordOf(actor.type)],
                      ['Resource', nameOfObject(row.resource_type)],
                      ['Id', <Copyable key="id" value={row.resource_id} label="id" />],
                      ['Number', `${row.sequence.toLocaleString('en-GB')} of this resource`],
                      [
                        'Customer',
                        row.customer_id === null ? (
                          <Absent key="none" />
                        ) : (
                          <NamedReference key="customer" noun={nouns.customers} id={row.customer_id} />
                        ),
                      ],
                    ]}
                  />
                </Panel>
                <IdentityPanel noun={nouns.events} row={row} />
              </SimpleGrid>
              <Panel flush title={isDeleted ? 'Deleted resource' : 'Resource after the event'}>
                <DifferenceTable
                  before={isDeleted ? omitIdentifiers(data) : null}
                  after={isDeleted ? null : omitIdentifiers(data)}
                />
              </Panel>
            </Stack>
          ),
        },
        {
          key: 'json',
          title: 'JSON',
          content: (
            <Panel
              title="As returned by the API and sent to webhooks"
              aside={<CopyAction value={json} label="the event" />}
            >
              <Code block tabIndex={0} className="event-json">
                {json}
              </Code>
            </Panel>
          ),
        },
      ]}
    />
  );
}

function pick(members: Members, names: readonly string[]): Members {
  return Object.fromEntries(names.map((name) => [name, members[name]]));
}

/** Omits the identifiers, and the `readable_…` copies of times. */
function omitIdentifiers(members: Members): Members {
  return Object.fromEntries(
    Object.entries(members).filter(
      ([name]) => !name.startsWith('readable_') && !['object', 'id', 'uuid', 'ulid'].includes(name),
    ),
  );
}
