import { featureEndpoints as endpoints } from '@foyer/contract/resources/packages/feature-catalogue.ts';
import { type Route, route, rows } from '../../platform/http/input/call.ts';
import { featureView } from './transformer.ts';

export function featureRoutes(): Route[] {
  return [route(endpoints.listFeatures, () => rows(featureView))];
}
