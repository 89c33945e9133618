import type { Dependencies } from '../../dependencies.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { epochMs } from '../../platform/instant.ts';
import type { MeetingProvider } from '../../providers/meeting-provider.ts';
import { ProviderFailure } from '../../providers/provider-failure.ts';
import { callbackAddress } from './callback-address.ts';
import { type Poll, storeHook } from './poll-store.ts';

/** A server gives a hook up whose calls failed for five minutes. */
const againMs = 5 * 60_000;
/** Whether one that has no hooks has them now. */
const probeMs = 60 * 60_000;

/**
 * Sees to it that a provider which can tells at once who comes and goes: one hook for all its meetings, asked for again
 * every few minutes. What it tells is only sooner than what is seen every minute anyway, so that failing changes nothing.
 */
export async function keepHook(
  dependencies: Dependencies,
  { id, adapter, poll }: { readonly id: Uuid; readonly adapter: MeetingProvider; readonly poll: Poll },
): Promise<void> {
  const { db, clock, settings, logger } = dependencies;
  if (!adapter.capabilities.hooks) return;
  const url = settings().meeting_webhooks ? callbackAddress(dependencies, 'provider-events', id) : null;
  try {
    if (poll.hook_id !== null && poll.hook_url !== url) {
      await adapter.stopListening(poll.hook_id);
      await storeHook(db, id, { id: null, url: null, at: clock.now() });
    } else if (!isDue(poll, url, clock.nowMs())) return;
    if (url === null) return;
    await storeHook(db, id, { id: await adapter.listen(url), url, at: clock.now() });
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    logger.debug({ provider: id, kind: error.kind }, 'provider took no hook');
  }
}

function isDue({ hook_id: hookId, hook_url: known, hooked_at: at }: Poll, url: string | null, nowMs: number): boolean {
  if (url === null) return false;
  if (at === null || known !== url) return true;
  return nowMs - epochMs(at) >= (hookId === null ? probeMs : againMs);
}
