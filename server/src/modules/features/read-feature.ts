import type { Selectable } from 'kysely';
import type { ServicePackageFeatures } from '../../database/tables.ts';
import { findFeature } from '@foyer/contract/resources/packages/features.ts';
import { normalizeFeatureValue } from '@foyer/contract/resources/packages/feature-value.ts';
import type { IntervalUnit } from '../../platform/time/calendar-date.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';

/** The columns that package features and subscription features share. */
export type FeatureColumns = Omit<
  Selectable<ServicePackageFeatures>,
  'id' | 'package_id' | 'created_at' | 'updated_at'
>;

export interface FeatureInput {
  readonly tag?: string;
  readonly service_feature_code?: string;
  readonly value?: string | number | boolean;
  readonly name?: string;
  readonly description?: string | null;
  readonly resettable_period?: number;
  readonly resettable_interval?: IntervalUnit | null;
  readonly sort_order?: number | null;
}

/**
 * Reads a new feature by its code in the catalogue.
 * @throws 422 if the code is unknown or the value does not fit it.
 */
export function readFeature(input: FeatureInput, codeField: 'tag' | 'service_feature_code'): FeatureColumns {
  const code = input[codeField];
  if (code === undefined)
    throw invalidInput({ [codeField]: [`The ${codeField.replaceAll('_', ' ')} field is required.`] });
  const feature = findFeature(code);
  if (!feature)
    throw invalidInput({ [codeField]: [`There is no feature ${JSON.stringify(code)}. GET /features lists them.`] });
  return readChanges(
    {
      tag: feature.code,
      name: feature.name,
      description: feature.description,
      value: '',
      resettable_period: feature.resettablePeriod,
      resettable_interval: feature.resettableInterval,
      sort_order: null,
    },
    input,
  );
}

/** Applies changes to a stored feature; its code cannot change. @throws 422 if the value does not fit. */
export function readFeatureChanges(stored: FeatureColumns, input: FeatureInput): Omit<FeatureColumns, 'tag'> {
  const { tag: _tag, ...changes } = readChanges(stored, input);
  return changes;
}

function readChanges(stored: FeatureColumns, input: FeatureInput): FeatureColumns {
  const faults: FieldFaults = {};
  const period = input.resettable_period ?? stored.resettable_period;
  const { resettable_interval: interval = stored.resettable_interval } = input;
  let { value } = stored;
  if (input.value !== undefined) {
    const feature = findFeature(stored.tag);
    const normalized = normalizeFeatureValue(feature ?? { code: stored.tag, valueType: 'text' }, input.value);
    if (normalized.ok) value = normalized.value;
    else faults['value'] = [normalized.message];
  }
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  return {
    tag: stored.tag,
    name: input.name ?? stored.name,
    description: input.description === undefined ? stored.description : input.description,
    value,
    resettable_period: period,
    resettable_interval: interval ?? 'month',
    sort_order: input.sort_order === undefined ? stored.sort_order : input.sort_order,
  };
}
