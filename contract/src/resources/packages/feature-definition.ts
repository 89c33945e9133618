import type { ServiceType } from '../providers/provider-types.ts';

/** A feature that packages can have. */
export interface FeatureDefinition {
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly valueType: 'limit' | 'flag' | 'text';
  /** The resources that a limit counts; null for flags and texts. */
  readonly unit: string | null;
  /** Whether creating resources or spending minutes uses up the limit. The usage is stored with the subscription. */
  readonly consumable: boolean;
  /** How uses are aggregated: summed, counted, or the highest number at the same time. */
  readonly aggregationType: 'sum' | 'count' | 'max' | null;
  readonly serviceTypes: readonly ServiceType[];
  /** The usage is reset after this many intervals; 0: never. */
  readonly resettablePeriod: number;
  readonly resettableInterval: 'day' | 'week' | 'month' | 'year';
  /** The value if a subscription does not have the feature. */
  readonly absentValue: string | null;
  /** The value if a subscription does not have the feature, for service types where it differs. */
  readonly absentValues?: Readonly<Partial<Record<ServiceType, string>>>;
}

export const unlimited = 'unlimited';

export function limit<const Code extends string>(
  code: Code,
  name: string,
  description: string,
  { unit, aggregationType }: { readonly unit: string; readonly aggregationType: 'sum' | 'count' | 'max' | null },
) {
  return {
    code,
    name,
    description,
    valueType: 'limit',
    unit,
    consumable: false,
    aggregationType,
    serviceTypes: ['meet'],
    resettablePeriod: 0,
    resettableInterval: 'month',
    absentValue: unlimited,
  } as const;
}

export function flag<const Code extends string>(code: Code, name: string, description: string) {
  return {
    code,
    name,
    description,
    valueType: 'flag',
    unit: null,
    consumable: false,
    aggregationType: null,
    serviceTypes: ['meet'],
    resettablePeriod: 0,
    resettableInterval: 'month',
    absentValue: 'false',
  } as const;
}

/** A consumable limit that is reset each month; 0 without the feature. */
export const perMonth = {
  consumable: true,
  resettablePeriod: 1,
  resettableInterval: 'month',
  absentValue: '0',
} as const;
