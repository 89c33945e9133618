import { findProviderType } from '@foyer/contract/resources/providers/provider-types.ts';
import type { FormField } from '../../../kit/form/form-fields.ts';
import type { FormValues } from '../../../kit/form/form-values.ts';
import { toText } from '../../../kit/format/to-text.ts';

/** The errors of empty required properties, by path. A stored secret may stay empty: the input does not show it. */
export function propertyErrors({ name }: FormField, values: FormValues): Record<string, string[]> {
  const type = findProviderType(toText(values['provider_type']));
  const properties = (values[name] ?? {}) as FormValues;
  const isStored = typeof values['id'] === 'string';
  const missing = (type?.properties ?? [])
    .filter(({ required, secret }) => required && !(secret && isStored))
    .filter((property) => toText(properties[property.name]).trim() === '');
  return Object.fromEntries(
    missing.map((property) => [`${name}.${property.name}`, [`“${property.label}” is required.`]]),
  );
}
