import { serviceProviderEndpoints as endpoints } from '@foyer/contract/resources/providers/service-provider.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, rows, value, actionRoute, rowRoute } from '../../platform/http/input/call.ts';
import { checkServiceProvider } from './health/check-service-provider.ts';
import { createServiceProvider } from './create-service-provider.ts';
import { deleteServiceProvider } from './delete-service-provider.ts';
import { listHealth, readHealth } from './health/read-health.ts';
import { requireServiceProvider } from './store.ts';
import { serviceProviderView } from './transformer.ts';
import { updateServiceProvider } from './update-service-provider.ts';

export function serviceProviderRoutes(dependencies: Dependencies): Route[] {
  return [
    route(endpoints.listServiceProviders, () => rows(serviceProviderView)),
    rowRoute(endpoints.createServiceProvider, serviceProviderView, ({ actor, body }) =>
      createServiceProvider(dependencies, actor, body),
    ),
    rowRoute(endpoints.readServiceProvider, serviceProviderView, ({ params }) =>
      requireServiceProvider(dependencies.db, params.service_provider_id),
    ),
    rowRoute(endpoints.updateServiceProvider, serviceProviderView, (call) => updateServiceProvider(dependencies, call)),
    actionRoute(endpoints.deleteServiceProvider, ({ actor, params }) =>
      deleteServiceProvider(dependencies, actor, params.service_provider_id),
    ),
    route(endpoints.listServiceProviderHealth, async () => value(await listHealth(dependencies))),
    route(endpoints.readServiceProviderHealth, async ({ params, query }) =>
      value(await readHealth(dependencies, params.service_provider_id, query['period'])),
    ),
    route(endpoints.checkServiceProvider, async ({ params }) =>
      value(await checkServiceProvider(dependencies, params.service_provider_id)),
    ),
  ];
}
