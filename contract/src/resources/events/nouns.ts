import { crudEvents, type Nouns, type Tags } from '../../conventions/noun.ts';

export const nouns = {
  webhook: {
    object: 'Webhook',
    prefix: 'hook',
    permissions: { webhooks: { read: [], create: [], update: [], delete: [] } },
    events: {
      ...crudEvents('webhook'),
      secret_rotated: 'The secret of a webhook was rotated.',
      disabled: 'A webhook was disabled because its receiver failed for three days or answered 410.',
    },
  },
  webhook_delivery: { object: 'WebhookDelivery', prefix: 'hookdel' },
  event: { object: 'Event', prefix: 'evt', permissions: { events: { read: [] } } },
  event_type: { object: 'EventType', prefix: 'evt' },
  audit_entry: { object: 'AuditEntry', prefix: 'audit', permissions: { 'audit-log': { read: [] } } },
} as const satisfies Nouns;

export const tags: Tags = {
  Events: 'Everything that happened, in order.',
  Webhooks: 'Deliver events to an address of your own.',
  'Audit log': 'Who changed what and when. Entries are never changed.',
};
