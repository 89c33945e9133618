import { featuresOf } from '@foyer/contract/resources/packages/features.ts';
import type { Database } from '../../database/connect.ts';
import type { Tx } from '../../events/change.ts';
import { type EffectiveFeature, effectiveFeatures } from '../features/index.ts';
import { type RoomRow, listFeatureValues } from './store.ts';

export type RoomFeature = Omit<EffectiveFeature, 'source'> & { source: EffectiveFeature['source'] | 'package' };

/** The effective features of the room, with the source of each value. */
export async function featuresOfRoom(
  db: Database | Tx,
  room: Pick<RoomRow, 'subscription_id' | 'room_type' | 'room_features'>,
): Promise<RoomFeature[]> {
  const sold = new Map((await listFeatureValues(db, room.subscription_id)).map((feature) => [feature.tag, feature]));
  const values = new Map(Array.from(sold.values(), ({ tag, value }) => [tag, value]));
  return effectiveFeatures(featuresOf(room.room_type), values, room.room_features).map((feature) =>
    feature.source === 'subscription' && sold.get(feature.tag)?.is_of_package
      ? { ...feature, source: 'package' }
      : feature,
  );
}
