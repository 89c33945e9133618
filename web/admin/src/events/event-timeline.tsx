import './event-timeline.css';
import { Box, Button, Group, Stack, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { Waiting } from '../../../kit/api/waiting.tsx';
import { LinkAnchor } from '../../../kit/display/links.ts';
import { FailureNotice, Placeholder } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { useNow } from '../../../kit/display/use-now.ts';
import { printConstraints } from '../../../kit/list/search.ts';
import type { EventRow } from '../nouns/rows.ts';
import { ChangeLines } from './change-lines.tsx';
import { EventIcon } from './event-icon.tsx';
import { dayOf } from './event-day.ts';
import { Sentence } from './sentence.tsx';
import { type EventSubject, useLatestEvents } from './use-latest-events.ts';

/** The events, newest first. New events appear at the top. */
export function EventTimeline({ about }: { readonly about: EventSubject }) {
  const { events, newEvents, error, retry, hasMore, isLoadingMore, showMore } = useLatestEvents(about);
  return (
    <Panel
      flush
      title="Events"
      aside={
        <LinkAnchor
          to="/$noun"
          params={{ noun: 'events' }}
          search={{ only: printConstraints({ ...about }) ?? '' }}
          fz="sm"
        >
          Search events
        </LinkAnchor>
      }
    >
      <div className="sr-only" role="status">
        {newEvents.announcement}
      </div>
      {events === null ? (
        error ? (
          <FailureNotice error={error} onRetry={retry} />
        ) : (
          <Stack p="lg" aria-busy>
            <Waiting h={34} />
            <Waiting h={34} />
            <Waiting h={34} />
          </Stack>
        )
      ) : events.length === 0 ? (
        <Placeholder title="No events" icon={<IconHistory stroke={1.4} />}>
          Changes appear here as they happen. Older events have been deleted.
        </Placeholder>
      ) : (
        <Days events={events} newIds={newEvents.ids} />
      )}
      {hasMore && (
        <Group justify="center" className="timeline-more">
          <Button variant="default" size="xs" loading={isLoadingMore} onClick={showMore}>
            Show earlier events
          </Button>
        </Group>
      )}
    </Panel>
  );
}

interface DaysProps {
  readonly events: readonly EventRow[];
  readonly newIds: ReadonlySet<string>;
}

function Days({ events, newIds }: DaysProps) {
  const nowMs = useNow();
  return (
    <ol className="timeline" aria-label="Events, newest first">
      {events.map((event, index) => {
        const day = dayOf(event.occurred_at, nowMs);
        const previous = events[index - 1];
        return (
          <Fragment key={event.id}>
            {(previous === undefined || dayOf(previous.occurred_at, nowMs) !== day) && (
              <li className="timeline-day">{day}</li>
            )}
            <li className="timeline-item" data-arrived={newIds.has(event.id) || undefined}>
              <EventIcon name={event.name} />
              <Box miw={0} flex={1}>
                <Text component="p" className="timeline-sentence">
                  <Sentence event={event} />
                </Text>
                <ChangeLines event={event} />
              </Box>
              <Text fz="sm" c="dimmed" className="timeline-time">
                <Link to="/$noun/$id" params={{ noun: 'events', id: event.id }} className="quiet-link">
                  <RelativeTime instant={event.occurred_at} />
                </Link>
              </Text>
            </li>
          </Fragment>
        );
      })}
    </ol>
  );
}
