import { features } from '@foyer/contract/features.ts';
import type { Database } from '../../database/connect.ts';
import type { Tx } from '../../events/change.ts';
import { type EffectiveFeature, effectiveFeatures } from '../features/index.ts';
import { type RoomRow, subscriptionFeatureValues } from './store.ts';

/** What each feature is for the room: the subscription's value, the room's, and the one that is used. */
export async function featuresOfRoom(
  db: Database | Tx,
  room: Pick<RoomRow, 'subscription_id' | 'room_features'>,
): Promise<EffectiveFeature[]> {
  return effectiveFeatures(features, await subscriptionFeatureValues(db, room.subscription_id), room.room_features);
}
