import { findFeature } from '@foyer/contract/resources/packages/features.ts';
import type { FieldInput } from '../../../kit/form/form-fields.ts';
import { requiredError } from '../../../kit/form/form-faults-of.ts';
import type { AnyNoun } from '../../../kit/noun/noun.ts';
import { FeatureValuesInput } from '../features/feature-values-input.tsx';
import { ResoldFromInput } from '../features/resold-from-input.tsx';
import { RenewalInput } from '../subscriptions/renewal-input.tsx';
import { EventsField } from '../webhooks/events-input.tsx';
import { ScopesField } from '../oauth-clients/scopes-input.tsx';
import { ProviderPropertiesInput } from '../providers/provider-properties-input.tsx';
import { propertyErrors } from '../providers/property-errors.ts';

type Inputs = { readonly [field: string]: FieldInput | undefined };

/** The inputs of a noun's form that are not derived from the contract. */
export function inputsOf(noun: AnyNoun): Inputs {
  return { ...noun.inputs, ...customInputs[noun.path] };
}

const customInputs: Readonly<Record<string, Inputs>> = {
  'oauth-clients': { scopes: { kind: 'custom', Input: ScopesField, errorsOf: requiredError } },
  'service-providers': {
    properties: { kind: 'custom', Input: ProviderPropertiesInput, errorsOf: propertyErrors },
  },
  webhooks: { events: { kind: 'custom', Input: EventsField, errorsOf: requiredError } },
  subscriptions: {
    auto_renew: { kind: 'custom', Input: RenewalInput },
    parent_subscription_id: { kind: 'custom', Input: ResoldFromInput },
    features: { kind: 'custom', Input: FeatureValuesInput, showsErrorAt: (path) => findFeature(path) !== null },
  },
};
