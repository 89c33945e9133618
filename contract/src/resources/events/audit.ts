import { endpoint, holders, list, single } from '../../conventions/endpoint.ts';
import {
  anyIdentifier,
  boolean,
  derived,
  identifier,
  instant,
  integer,
  map,
  nullable,
  oneOf,
  text,
} from '../../conventions/field.ts';
import { identity, resource } from '../../conventions/resource.ts';

export const actorTypes = ['admin', 'user', 'client', 'system', 'visitor'] as const;

export const AuditEntry = resource('audit_entry', {
  readPermission: 'read-audit-log',
  fields: {
    ...identity('audit_entry'),
    occurred_at: instant(),
    readable_occurred_at: derived(text()),
    actor_type: oneOf(actorTypes, 'Who did it; `visitor` is an unauthenticated caller.'),
    actor_id: nullable(anyIdentifier('The administrator, user or client.')),
    actor_name: nullable(text(320, { freeText: true, description: 'Its name at that time.' })),
    client_id: nullable(identifier('client', 'The OAuth client that acted for the actor.')),
    client_name: nullable(text()),
    customer_id: nullable(identifier('cust', 'The customer that it concerns.')),
    action: text(150, { freeText: true, description: 'What happened: the name of an event, as in `room.created`.' }),
    resource_type: text(150, { description: 'The `object` of what was changed.' }),
    resource_id: nullable(anyIdentifier('The id of what was changed, with its prefix if its resource has one.')),
    sequence: nullable(integer(1, Number.MAX_SAFE_INTEGER)),
    old_values: nullable(map()),
    new_values: nullable(map()),
    request_id: nullable(text(128)),
    address: nullable(text(64)),
    sealed: boolean('Whether the entry is part of the hash chain yet, which takes a minute or two.'),
  },
  includes: {},
});

const tag = 'Audit log';

export const auditEndpoints = {
  listAuditEntries: endpoint({
    method: 'GET',
    path: '/audit-log',
    tag,
    summary: 'List the entries of the audit log',
    description:
      'Every change writes an entry, in the same transaction. Secrets are masked. Entries are never changed or deleted. `search=resource_id:…` finds everything that happened to a resource; it accepts any form of the id.',
    access: holders('read-audit-log'),
    answer: list(AuditEntry),
  }),
  readAuditEntry: endpoint({
    method: 'GET',
    path: '/audit-log/:entry_id',
    tag,
    summary: 'Read an entry of the audit log',
    access: holders('read-audit-log'),
    params: { entry_id: 'audit' },
    answer: single(AuditEntry),
  }),
};
