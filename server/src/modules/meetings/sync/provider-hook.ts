import { sharedWork } from '../../../platform/shared-work.ts';
import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { epochMs } from '../../../platform/time/instant.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { sessionServiceOf } from '../../../providers/provider-type.ts';
import { meetingProvider, findServiceProvider } from '../../service-providers/index.ts';
import { callbackAddress } from './callback-address.ts';
import { findHook, type Hook, storeHook } from './poll-store.ts';

/** A server removes a hook whose calls have failed for five minutes. */
const renewMs = 5 * 60_000;
/** A server that opens a meeting may have been restarted, and a restart deletes hooks. */
const openedRenewMs = 60_000;
/** How often registration is retried on a server that does not support hooks. */
const unsupportedRetryMs = 60 * 60_000;

/** Running registrations: at most one per provider. */
const oncePerProvider = sharedWork<void>();

/**
 * Registers a webhook for all meetings of a provider that supports it, so that the provider reports joins and leaves at once.
 * The registration is renewed every few minutes, and retried after a failure. Without the hook, meetings are only
 * polled once a minute.
 */
export async function ensureHook(dependencies: Dependencies, id: Uuid, renewAfterMs: number = renewMs): Promise<void> {
  await oncePerProvider(dependencies, id, () => registerHook(dependencies, id, renewAfterMs));
}

/**
 * Like `ensureHook`, in the background: for a provider on which a meeting was just opened, so that events of its first
 * minute are reported. After a failure, the next poll tries again.
 */
export function ensureHookInBackground(dependencies: Dependencies, id: Uuid): void {
  if (!dependencies.settings().meeting_webhooks) return;
  ensureHook(dependencies, id, openedRenewMs).catch((error: unknown) =>
    dependencies.logger.debug({ provider: id, reason: String(error) }, 'hook not requested'),
  );
}

async function registerHook(dependencies: Dependencies, id: Uuid, renewAfterMs: number): Promise<void> {
  const { db, clock, settings, logger } = dependencies;
  const [provider, hook] = await Promise.all([findServiceProvider(db, id), findHook(db, id)]);
  if (!provider || !sessionServiceOf(dependencies.providers.type(provider.provider_type))?.capabilities.hooks) return;
  const url = settings().meeting_webhooks ? callbackAddress(dependencies, 'provider-events', id) : null;
  const hasMoved = hook.hook_id !== null && hook.hook_url !== url;
  if (!hasMoved && !isDue(hook, url, clock.nowMs(), renewAfterMs)) return;
  try {
    const adapter = await meetingProvider(dependencies, provider);
    if (hasMoved && hook.hook_id !== null) {
      await adapter.stopListening?.(hook.hook_id);
      await storeHook(db, id, { id: null, url: null, at: clock.now() });
    }
    if (url !== null) await storeHook(db, id, { id: (await adapter.listen?.(url)) ?? null, url, at: clock.now() });
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    logger.debug({ provider: id, kind: error.kind }, 'provider did not register the hook');
  }
}

function isDue(
  { hook_id: hookId, hook_url: storedUrl, hooked_at: at, unstable_at: unstableAt }: Hook,
  url: string | null,
  nowMs: number,
  renewAfterMs: number,
): boolean {
  if (url === null) return false;
  if (at === null || storedUrl !== url) return true;
  // A restarted server may have lost its hooks.
  if (unstableAt !== null && unstableAt > at) return true;
  return nowMs - epochMs(at) >= (hookId === null ? unsupportedRetryMs : renewAfterMs);
}
