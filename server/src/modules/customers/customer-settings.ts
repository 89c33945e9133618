import { customerSettings } from '@foyer/contract/resources/customers/customer-settings.ts';
import { object, optional } from '@foyer/contract/conventions/field.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import { parseInput } from '../../platform/http/input/parse-input.ts';

type Values = Record<string, unknown>;

const knownSettings = object(
  Object.fromEntries(Object.entries(customerSettings).map(([name, schema]) => [name, optional(schema)])),
);

/** Validates known settings and keeps unknown ones; null removes a setting. @throws 422 naming every invalid setting. */
export function readCustomerSettings(input: Values | null): Values {
  const settings = Object.fromEntries(Object.entries(input ?? {}).filter(([, value]) => value !== null));
  const parsed = parseInput(knownSettings, settings, 'create');
  if (!('faults' in parsed)) return { ...settings, ...parsed.values };
  const faults: FieldFaults = {};
  for (const [name, sentences] of Object.entries(parsed.faults)) faults[`customer_settings.${name}`] = sentences;
  throw invalidInput(faults);
}
