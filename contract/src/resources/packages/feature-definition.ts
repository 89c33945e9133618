import type { ServiceType } from '../providers/provider-types.ts';

/** What packages can sell. */
export interface FeatureDefinition {
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly valueType: 'limit' | 'flag' | 'text';
  /** What a limit counts; null for flags and texts. */
  readonly unit: string | null;
  /** Used up by what is created or spent, and kept as usage of the subscription. */
  readonly consumable: boolean;
  /** How many uses become one figure: added up, counted, or the highest at once. */
  readonly aggregationType: 'sum' | 'count' | 'max' | null;
  readonly serviceTypes: readonly ServiceType[];
  /** Usage begins again after so many intervals; 0 never. */
  readonly resettablePeriod: number;
  readonly resettableInterval: 'day' | 'week' | 'month' | 'year';
  /** The value where a subscription does not have the feature. */
  readonly absentValue: string | null;
  /** The same for a service type in which it differs. */
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

/** What is consumed and begins anew each month; without the feature there is none. */
export const perMonth = {
  consumable: true,
  resettablePeriod: 1,
  resettableInterval: 'month',
  absentValue: '0',
} as const;
