import { defineModule } from '../../module.ts';
import { featureRoutes } from './routes.ts';

export { type EffectiveFeature, effectiveFeatures } from './effective-features.ts';
export { type FeatureColumns, readFeature, readFeatureChanges } from './read-feature.ts';
export { currentUsage, usageWindow } from './usage-window.ts';

export const features = defineModule({
  name: 'features',
  routes: featureRoutes,
});
