import { auditEndpoints as endpoints } from '@foyer/contract/resources/events/audit.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, rows, rowRoute } from '../../platform/http/input/call.ts';
import { requireEntry } from './store.ts';
import { auditEntryView } from './transformer.ts';

export function auditRoutes({ db }: Dependencies): Route[] {
  return [
    route(endpoints.listAuditEntries, () => rows(auditEntryView)),
    rowRoute(endpoints.readAuditEntry, auditEntryView, ({ params }) => requireEntry(db, params.entry_id)),
  ];
}
