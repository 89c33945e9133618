import { featureEndpoints as endpoints } from '@foyer/contract/feature-catalogue.ts';
import { type Route, route, rows } from '../../platform/http/call.ts';
import { featureView } from './transformer.ts';

export function featureRoutes(): Route[] {
  return [route(endpoints.listFeatures, () => rows(featureView))];
}
