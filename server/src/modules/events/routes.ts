import { eventEndpoints as endpoints } from '@foyer/contract/resources/events/event.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, row, rows } from '../../platform/http/input/call.ts';
import { tenantScopeOf } from '../../platform/list-query/view.ts';
import { createEventTail } from './event-tail.ts';
import { followEvents } from './follow-events.ts';
import { requireEvent } from './store.ts';
import { eventTypeView, eventView } from './transformer.ts';

export function eventRoutes(dependencies: Dependencies): Route[] {
  const follow = followEvents(dependencies, createEventTail(dependencies));
  return [
    route(endpoints.listEventTypes, () => rows(eventTypeView)),
    route(endpoints.listEvents, () => rows(eventView)),
    route(endpoints.streamEvents, follow),
    route(endpoints.readEvent, async ({ params, reader }) =>
      row(eventView, await requireEvent(dependencies.db, params.event_id, tenantScopeOf(eventView, reader))),
    ),
  ];
}
