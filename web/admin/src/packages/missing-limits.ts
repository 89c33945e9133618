import { featuresOf } from '@foyer/contract/resources/packages/features.ts';
import type { ServiceType } from '@foyer/contract/resources/providers/provider-types.ts';

/**
 * The names of the limits that are 0 and without which rooms of the type cannot be created or used.
 * @param values the values of the package, by feature
 */
export function missingLimits(serviceType: ServiceType, values: ReadonlyMap<string, string>): string[] {
  const definitions = featuresOf(serviceType);
  const isZero = (tag: string) =>
    (values.get(tag) ?? definitions.find(({ code }) => code === tag)?.absentValue) === '0';
  // A simulcast room without viewers only sends to its outputs.
  const notNeeded =
    serviceType !== 'simulcast' ? [] : ['max_viewers', ...(isZero('max_viewers') ? ['viewer_minutes'] : [])];
  return definitions
    .filter(({ code, absentValue }) => absentValue === '0' && isZero(code) && !notNeeded.includes(code))
    .map(({ name }) => name);
}
