import type { ProviderType, ServiceType } from '@foyer/contract/resources/providers/provider-types.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Actor, InputOf } from '../../platform/http/input/call.ts';
import { newUuid } from '../../platform/identity/identifier.ts';
import { maskProperties, parseProperties } from '../../providers/properties.ts';
import { sealProperties } from './sealed-properties.ts';
import { insertServiceProvider, type ServiceProviderRow } from './store.ts';

type Input = InputOf<'createServiceProvider'>;

export async function createServiceProvider(
  dependencies: Dependencies,
  actor: Actor,
  input: Input,
): Promise<ServiceProviderRow> {
  const type = dependencies.providers.type(input.provider_type);
  if (!type) throw invalidInput({ provider_type: [unknownTypeMessage(dependencies)] });
  const { declaration } = type;
  const serviceType = chooseServiceType(declaration, input.service_type);
  const parsed = parseProperties(type, input.properties, {});
  if ('faults' in parsed) throw invalidInput(parsed.faults);
  const id = newUuid();
  const properties = await sealProperties(dependencies.secretBox, { id, type }, parsed.properties, {});
  return await inTransaction(dependencies, actor, async ({ tx, now, emit, invalidate }) => {
    const row = await insertServiceProvider(tx, {
      id,
      provider_name: input.provider_name,
      active: input.active ?? true,
      provider_type: declaration.name,
      service_type: serviceType,
      server_key: type.serverKey(parsed.properties),
      ...placementColumns(input),
      properties,
      settings: input.settings ?? {},
      metadata: input.metadata ?? {},
      created_at: now,
      updated_at: now,
    });
    await emit(
      rowEvent('service_provider.created', {
        after: { ...row, properties: maskProperties(declaration, row.properties) },
      }),
    );
    invalidate('provider-checks');
    return row;
  });
}

/**
 * The requested service type, or else the only one that the provider type offers.
 * @throws 422 if the provider type does not offer it, or offers several and none is requested
 */
function chooseServiceType(
  { displayName, serviceTypes: [first, ...others] }: ProviderType,
  requested: ServiceType | undefined,
): ServiceType {
  const types = first === undefined ? [] : [first, ...others];
  if (requested !== undefined && types.includes(requested)) return requested;
  if (requested === undefined && first !== undefined && others.length === 0) return first;
  const problem = requested === undefined ? 'is required' : 'is invalid';
  throw invalidInput({
    service_type: [`The service type ${problem}. ${displayName} offers: ${types.join(', ')}.`],
  });
}

function unknownTypeMessage({ providers }: Dependencies): string {
  const names = providers.types.map(({ declaration }) => declaration.name);
  const aliases = providers.types.flatMap(({ declaration }) => declaration.aliases ?? []);
  return `The selected provider type is invalid. It must be one of: ${[...names, ...aliases].join(', ')}.`;
}

function placementColumns({ pool, tags, weight, draining, max_meetings, max_participants }: Input) {
  return {
    pool: pool ?? null,
    tags: [...new Set(tags)],
    weight: weight ?? 100,
    draining: draining ?? false,
    max_meetings: max_meetings ?? null,
    max_participants: max_participants ?? null,
  };
}
