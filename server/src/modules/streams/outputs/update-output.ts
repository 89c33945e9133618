import { secretMask } from '@foyer/contract/resources/providers/provider-types.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import { invalidInput } from '../../../platform/failures.ts';
import type { CallOf } from '../../../platform/http/input/call.ts';
import { refuseChanged, withoutUndefined } from '../../../platform/immutable.ts';
import { lockRoomForKeyShare } from '../../rooms/index.ts';
import { updateRunningOutputs } from './update-running-outputs.ts';
import { lockOutput, type OutputRow, requireOutput, storeOutput } from './output-store.ts';
import { findKeyFault, requireAddress, sealKey } from './output-values.ts';

type UpdateCall = CallOf<'updateOutput'>;

/** @throws 404; 422 naming `url`, `stream_key` or `room_id` */
export async function updateOutput(
  dependencies: Dependencies,
  { actor, params: { room_id: roomId, output_id: id }, body, immutable }: UpdateCall,
): Promise<OutputRow> {
  const stored = await requireOutput(dependencies.db, roomId, id);
  const { url, stream_key: key, output_metadata: metadata, ...input } = body;
  const columns = {
    ...withoutUndefined(input),
    ...(await readAddressChange(dependencies, stored, { url, platform: input.platform })),
    ...(await readKeyChange(dependencies, id, key)),
    ...(metadata === undefined ? {} : { output_metadata: JSON.stringify(metadata ?? {}) }),
  };
  return await inTransaction(dependencies, actor, async (change) => {
    const { tx, now, emit } = change;
    const room = await lockRoomForKeyShare(tx, roomId);
    const before = await lockOutput(tx, roomId, id);
    refuseChanged(immutable, { ...before });
    const row = await storeOutput(tx, id, { ...columns, updated_at: now });
    await updateRunningOutputs(change, roomId);
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

/** The column of a new address. A new platform without an address sets the default address of that platform. */
async function readAddressChange(
  dependencies: Dependencies,
  stored: OutputRow,
  { url, platform }: { readonly url: string | null | undefined; readonly platform: OutputRow['platform'] | undefined },
) {
  if (url === stored.url) return {};
  const isNewPlatform = platform !== undefined && platform !== stored.platform;
  if (url === undefined && !isNewPlatform) return {};
  return { url: await requireAddress(dependencies, platform ?? stored.platform, url ?? null) };
}

async function readKeyChange(dependencies: Dependencies, id: string, key: string | null | undefined) {
  if (key === undefined || key === secretMask) return {};
  const fault = findKeyFault(key);
  if (fault !== null) throw invalidInput({ stream_key: [fault] });
  return { stream_key_sealed: await sealKey(dependencies, id, key) };
}
