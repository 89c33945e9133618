import { customerSettings } from '@foyer/contract/resources/customer-settings.ts';
import { object, optional } from '@foyer/contract/conventions/field.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import { parseInput } from '../../platform/http/input/parse-input.ts';

type Values = Record<string, unknown>;

const known = object(
  Object.fromEntries(Object.entries(customerSettings).map(([name, schema]) => [name, optional(schema)])),
);

/** Known settings fit their type, null takes one back, and what is not known is kept. @throws 422 that names every fault. */
export function readCustomerSettings(given: Values | null): Values {
  const settings = Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== null));
  const parsed = parseInput(known, settings, 'create');
  if (!('faults' in parsed)) return { ...settings, ...parsed.values };
  const faults: FieldFaults = {};
  for (const [name, sentences] of Object.entries(parsed.faults)) faults[`customer_settings.${name}`] = sentences;
  throw invalidInput(faults);
}
