import { AuditEntry } from '@foyer/contract/resources/events/audit.ts';
import type { IdentifierPrefix } from '@foyer/contract/conventions/identifier-prefixes.ts';
import { sql } from 'kysely';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import { printInstant } from '../../platform/time/instant.ts';
import { defineView } from '../../platform/list-query/view.ts';
import { readableTime } from '../../platform/time/relative-time.ts';
import { objectsOfPrefix, printResourceId } from './resource-prefixes.ts';
import type { PrintedEntryRow } from './store.ts';

export const auditEntryView = defineView<typeof AuditEntry.fields, PrintedEntryRow>({
  resource: AuditEntry,
  table: 'audit_entries',
  from: sql`audit_entries left join audit_seals on audit_seals.entry_id = audit_entries.id`,
  select: sql`audit_entries.*, audit_seals.entry_id is not null as sealed`,
  expressions: { sealed: sql`(audit_seals.entry_id is not null)` },
  holdersOfPrefix: {
    actor_id: (prefix) => sql`audit_entries.actor_type = ${prefix}`,
    resource_id: (prefix) => sql`audit_entries.resource_type = any(${objectsOfPrefix(prefix)}::text[])`,
  },
  transform: (row, reader) => {
    const occurredAt = printInstant(row.occurred_at);
    return {
      occurred_at: occurredAt,
      readable_occurred_at: readableTime(occurredAt, reader.nowMs, reader.locale),
      actor_id: row.actor_id === null ? null : printActorId(row.actor_type, row.actor_id),
      resource_id: row.resource_id === null ? null : printResourceId(row.resource_type, row.resource_id),
    };
  },
});

/** Other types of actors have no identifier. */
const actorPrefixes: Readonly<Record<string, IdentifierPrefix>> = { admin: 'admin', user: 'user', client: 'client' };

export function printActorId(type: string, id: string): string {
  const prefix = actorPrefixes[type];
  return prefix === undefined ? id : printIdentifier(prefix, id);
}
