import { secretMask } from '@foyer/contract/resources/providers/provider-types.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import { invalidInput } from '../../../platform/failures.ts';
import type { CallOf } from '../../../platform/http/input/call.ts';
import { refuseChanged, withoutUndefined } from '../../../platform/immutable.ts';
import { lockRoomForKeyShare } from '../../rooms/index.ts';
import { orderOutputs } from './order-outputs.ts';
import { lockOutput, type OutputRow, requireOutput, storeOutput } from './output-store.ts';
import { findKeyFault, requireAddress, sealKey } from './output-values.ts';

type Updating = CallOf<'updateOutput'>;

/** @throws 404; 422 naming `url`, `stream_key` or `room_id` */
export async function updateOutput(
  dependencies: Dependencies,
  { actor, params: { room_id: roomId, output_id: id }, body, immutable }: Updating,
): Promise<OutputRow> {
  const stored = await requireOutput(dependencies.db, roomId, id);
  const { url, stream_key: key, output_metadata: metadata, ...input } = body;
  const changed = {
    ...withoutUndefined(input),
    ...(await changedAddress(dependencies, stored, { url, platform: input.platform })),
    ...(await changedKey(dependencies, id, key)),
    ...(metadata === undefined ? {} : { output_metadata: JSON.stringify(metadata ?? {}) }),
  };
  return await inTransaction(dependencies, actor, async (change) => {
    const { tx, now, emit } = change;
    const room = await lockRoomForKeyShare(tx, roomId);
    const before = await lockOutput(tx, roomId, id);
    refuseChanged(immutable, { ...before });
    const row = await storeOutput(tx, id, { ...changed, updated_at: now });
    await orderOutputs(change, roomId);
    await emit(
      rowEvent('output.updated', {
        customerId: room.customer_id,
        before,
        after: row,
        details: before.stream_key_sealed === row.stream_key_sealed ? {} : { secrets_changed: ['stream_key'] },
      }),
    );
    return row;
  });
}

/** The column of a new address. If the platform changes without an address, the address is the default of the new platform. */
async function changedAddress(
  dependencies: Dependencies,
  stored: OutputRow,
  { url, platform }: { readonly url: string | null | undefined; readonly platform: OutputRow['platform'] | undefined },
) {
  if (url === stored.url) return {};
  const isOther = platform !== undefined && platform !== stored.platform;
  if (url === undefined && !isOther) return {};
  return { url: await requireAddress(dependencies, platform ?? stored.platform, url ?? null) };
}

async function changedKey(dependencies: Dependencies, id: string, key: string | null | undefined) {
  if (key === undefined || key === secretMask) return {};
  const fault = findKeyFault(key);
  if (fault !== null) throw invalidInput({ stream_key: [fault] });
  return { stream_key_sealed: await sealKey(dependencies, id, key) };
}
