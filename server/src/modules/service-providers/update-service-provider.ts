import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { invalidInput, conflict } from '../../platform/failures.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { withoutUndefined, refuseChanged } from '../../platform/immutable.ts';
import { resetHealth } from './health/health-store.ts';
import { maskProperties, parseProperties } from '../../providers/properties.ts';
import { changedSecrets, sealProperties } from './sealed-properties.ts';
import { countUse, lockServiceProvider, type ServiceProviderRow, updateServiceProvider as store } from './store.ts';

/** @throws 409 `provider-is-default` for deactivating a provider that is the default of a package or subscription */
export async function updateServiceProvider(
  dependencies: Dependencies,
  { actor, params: { service_provider_id: id }, body: input, immutable }: CallOf<'updateServiceProvider'>,
): Promise<ServiceProviderRow> {
  return await inTransaction(dependencies, actor, async ({ tx, now, emit, invalidate }) => {
    const row = await lockServiceProvider(tx, id);
    const sentType = dependencies.providers.type(String(immutable['provider_type']))?.declaration.name;
    refuseChanged({ ...immutable, ...(sentType === undefined ? {} : { provider_type: sentType }) }, { ...row });
    const type = dependencies.providers.type(row.provider_type);
    if (!type) throw new Error(`There is no provider type ${row.provider_type}.`);
    const parsed = parseProperties(type, input.properties ?? {}, row.properties);
    if ('faults' in parsed) throw invalidInput(parsed.faults);
    if (input.active === false && row.active) await refuseDefault(tx, id);
    const updated = await store(tx, id, {
      ...withoutUndefined({
        provider_name: input.provider_name,
        active: input.active,
        pool: input.pool,
        weight: input.weight,
        draining: input.draining,
        max_meetings: input.max_meetings,
        max_participants: input.max_participants,
        settings: input.settings === null ? {} : input.settings,
        metadata: input.metadata === null ? {} : input.metadata,
      }),
      ...(input.tags === undefined ? {} : { tags: [...new Set(input.tags)] }),
      server_key: type.serverKey(parsed.properties),
      properties: await sealProperties(dependencies.secretBox, { id, type }, parsed.properties, row.properties),
      updated_at: now,
    });
    invalidate('providers');
    const hasNewProperties = JSON.stringify(updated.properties) !== JSON.stringify(row.properties);
    if (hasNewProperties) await resetHealth(tx, id, now);
    if (hasNewProperties || (updated.active && !row.active)) invalidate('provider-checks');
    const secrets = changedSecrets(type, row.properties, updated.properties);
    await emit(
      rowEvent('service_provider.updated', {
        before: { ...row, properties: maskProperties(type.declaration, row.properties) },
        after: {
          ...updated,
          properties: maskProperties(type.declaration, updated.properties),
          ...(secrets.length > 0 ? { secrets_changed: secrets } : {}),
        },
      }),
    );
    return updated;
  });
}

async function refuseDefault(tx: Parameters<typeof countUse>[0], id: Uuid): Promise<void> {
  const use = await countUse(tx, id);
  if (use.packageDefaults + use.subscriptionDefaults === 0) return;
  throw conflict(
    'provider-is-default',
    `The service provider is the default of ${use.packageDefaults} packages and ${use.subscriptionDefaults} subscriptions. Make another one the default first.`,
  );
}
