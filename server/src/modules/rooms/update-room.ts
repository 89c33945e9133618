import type { BodyOf } from '@foyer/contract/endpoint.ts';
import type { roomEndpoints } from '@foyer/contract/room.ts';
import type { Dependencies } from '../../dependencies.ts';
import { change } from '../../events/change.ts';
import type { Actor } from '../../platform/http/call.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { present, refuseChanged } from '../../platform/immutable.ts';
import { roomUrl } from './room-url.ts';
import { readRoomValues } from './room-values.ts';
import { lockRoom, type RoomRow, storeRoom } from './store.ts';

type Input = BodyOf<(typeof roomEndpoints)['updateRoom']>;

export async function updateRoom(
  dependencies: Dependencies,
  actor: Actor,
  id: Uuid,
  input: Input,
  immutable: Readonly<Record<string, unknown>>,
): Promise<RoomRow> {
  return await change(dependencies, actor, async ({ tx, now, emit }) => {
    const row = await lockRoom(tx, id);
    refuseChanged(immutable, { ...row, url: roomUrl(dependencies.publicUrl(), row) });
    const values = readRoomValues(input, row.room_type);
    const updated = await storeRoom(tx, id, {
      ...present({ room_name: input.room_name, status: input.status, is_public: input.is_public, slug: values.slug }),
      ...(values.features === undefined ? {} : { room_features: JSON.stringify(values.features) }),
      ...(values.settings === undefined ? {} : { room_settings: JSON.stringify(values.settings) }),
      ...(input.room_metadata === undefined ? {} : { room_metadata: JSON.stringify(input.room_metadata ?? {}) }),
      updated_at: now,
    });
    await emit({
      name: 'room.updated',
      resource: { type: 'Room', id },
      customerId: row.customer_id,
      before: row,
      after: updated,
    });
    return updated;
  });
}
