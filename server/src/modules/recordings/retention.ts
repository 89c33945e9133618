import { findFeature } from '@foyer/contract/resources/packages/features.ts';
import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import { effectiveFeatures } from '../features/index.ts';
import type { RecordedRoom } from './sync/lock-store.ts';

/** A thousand years. */
const maxDays = 365_000;

/** The number of days after which the room's recordings expire. Null if they never expire. */
export function retentionDays(room: Pick<RecordedRoom, 'room_features' | 'record_expiration'>): number | null {
  const definition = findFeature('record_expiration');
  const sold = room.record_expiration;
  if (!definition || sold === null) return null;
  const [feature] = effectiveFeatures([definition], new Map([[definition.code, sold]]), {
    record_expiration: room.room_features['record_expiration'],
  });
  const days = limitOf(feature?.used ?? sold);
  return days === null ? null : Math.min(days, maxDays);
}
