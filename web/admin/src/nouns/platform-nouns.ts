import { IconMail, IconWebhook } from '@tabler/icons-react';
import { type FieldOf, type Noun, text, textOrNull } from '../../../kit/noun/noun.ts';
import { Mail, Webhook } from './kinds.table.ts';
import type { MailRow, WebhookRow } from './rows.ts';

export const webhooks: Noun<WebhookRow, FieldOf<'createWebhook' | 'updateWebhook'>> = {
  resource: Webhook,
  section: 'Platform',
  path: 'webhooks',
  singular: 'webhook',
  plural: 'Webhooks',
  summary: 'Servers that receive events as signed requests, within about a second.',
  emptyText: 'Create one to connect a billing system, a CRM or a program of your own.',
  icon: IconWebhook,
  param: 'webhook_id',
  list: 'listWebhooks',
  read: 'readWebhook',
  create: 'createWebhook',
  update: 'updateWebhook',
  remove: 'deleteWebhook',
  titleOf: (row) => textOrNull(row, 'description') ?? addressOf(row),
  detailOf: addressOf,
  columns: ['url', 'state', 'description', 'events', 'customer_id', 'last_delivery_at'],
  heads: { last_delivery_at: 'Last delivery' },
  filters: ['state', 'customer_id', 'active'],
  groups: [
    { title: 'Receiver', fields: ['url', 'description', 'customer_id', 'active'] },
    { title: 'Events', fields: ['events'] },
  ],
  defaults: { active: true, events: [] },
  hints: {
    url: 'An https address that the internet can reach. It gets a POST for each event.',
    description: 'What it is for. Shown in the console.',
    active: 'Events that happen while it is off are never delivered.',
  },
  creationHints: {
    customer_id:
      'It receives the events of this customer and of all customers below it. If empty, those of the whole platform.',
  },
  shownOnce: 'secret',
  deletion: 'It receives no more events, and its deliveries are deleted too. Pending events are lost.',
};

/** The address without its scheme. */
function addressOf(row: WebhookRow): string {
  return text(row, 'url').replace(/^https?:\/\//, '');
}

export const mails: Noun<MailRow, never> = {
  resource: Mail,
  section: null,
  path: 'mails',
  singular: 'mail',
  plural: 'Sent mails',
  summary: 'What was mailed in the last 30 days.',
  emptyText: 'Invitations and notifications appear here.',
  icon: IconMail,
  param: 'mail_id',
  list: 'listMails',
  read: 'readMail',
  titleOf: (row) => text(row, 'subject'),
  detailOf: (row) => text(row, 'recipient'),
  columns: ['subject', 'state', 'recipient', 'kind', 'created_at'],
  heads: { created_at: 'When', recipient: 'To' },
  filters: ['state', 'kind', 'created_at'],
  order: { orderBy: 'created_at', sortedBy: 'desc' },
  isUnaudited: true,
  groups: [],
};
