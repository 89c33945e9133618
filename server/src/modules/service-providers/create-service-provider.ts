import type { BodyOf } from '@foyer/contract/conventions/endpoint.ts';
import { providerTypeNamed } from '@foyer/contract/resources/provider-types.ts';
import type { serviceProviderEndpoints } from '@foyer/contract/resources/service-provider.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { newUuid } from '../../platform/identity/identifier.ts';
import { maskProperties, readProperties, sealProperties } from './properties.ts';
import { insertServiceProvider, type ServiceProviderRow } from './store.ts';

type Input = BodyOf<(typeof serviceProviderEndpoints)['createServiceProvider']>;

export async function createServiceProvider(
  dependencies: Dependencies,
  actor: Actor,
  input: Input,
): Promise<ServiceProviderRow> {
  const typeName = input.provider_type === 'bbb' ? 'bigbluebutton' : input.provider_type;
  const serviceType = providerTypeNamed(typeName)?.serviceType ?? 'meet';
  const read = readProperties(typeName, input.properties, {});
  if ('faults' in read) throw invalidInput(read.faults);
  const id = newUuid();
  const properties = await sealProperties(dependencies.secretBox, id, typeName, read.properties, {});
  return await inTransaction(dependencies, actor, async ({ tx, now, emit, invalidate }) => {
    const row = await insertServiceProvider(tx, {
      id,
      provider_name: input.provider_name,
      active: input.active ?? true,
      provider_type: typeName,
      service_type: serviceType,
      ...placementOf(input),
      properties,
      settings: input.settings ?? {},
      metadata: input.metadata ?? {},
      created_at: now,
      updated_at: now,
    });
    await emit({
      name: 'service_provider.created',
      resource: { type: 'ServiceProvider', id },
      after: { ...row, properties: maskProperties(typeName, row.properties) },
    });
    invalidate('provider-checks');
    return row;
  });
}

function placementOf({ pool, tags, weight, draining, max_meetings, max_participants }: Input) {
  return {
    pool: pool ?? null,
    tags: [...new Set(tags)],
    weight: weight ?? 100,
    draining: draining ?? false,
    max_meetings: max_meetings ?? null,
    max_participants: max_participants ?? null,
  };
}
