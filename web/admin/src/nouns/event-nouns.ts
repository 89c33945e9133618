import { IconActivity } from '@tabler/icons-react';
import { actionPhrase } from '../audit/action-phrase.ts';
import { type Noun, text } from '../../../kit/noun/noun.ts';
import { Event } from './kinds.table.ts';
import type { EventRow } from './rows.ts';

export const events: Noun<EventRow, never> = {
  resource: Event,
  section: 'Platform',
  path: 'events',
  singular: 'event',
  plural: 'Events',
  summary: 'What happens on the platform, updated live. Webhooks receive the same events.',
  emptyText: 'Changes appear here as they happen.',
  icon: IconActivity,
  param: 'event_id',
  list: 'listEvents',
  read: 'readEvent',
  titleOf: (row) => actionPhrase(text(row, 'name')),
  detailOf: (row) => text(row, 'resource_type'),
  columns: ['name', 'resource_id', 'customer_id', 'occurred_at'],
  filters: ['occurred_at', 'name', 'resource_type', 'resource_id', 'customer_id'],
  heads: { name: 'Event', resource_id: 'What happened' },
  groups: [],
  isLog: true,
};
