import { Feature } from '@foyer/contract/resources/packages/feature-catalogue.ts';
import { features } from '@foyer/contract/resources/packages/features.ts';
import { sql } from 'kysely';
import { defineView } from '../../platform/list-query/view.ts';

interface FeatureRow {
  readonly id: string;
  readonly name: string;
  readonly code: string;
  readonly value_type: 'limit';
  readonly unit: string | null;
  readonly consumable: boolean;
  readonly aggregation_type: string | null;
  readonly description: string;
  readonly service_types: string[];
}

const catalogue = JSON.stringify(
  features.map((feature, position) => ({
    position,
    id: feature.code,
    name: feature.name,
    code: feature.code,
    value_type: feature.valueType,
    unit: feature.unit,
    consumable: feature.consumable,
    aggregation_type: feature.aggregationType,
    description: feature.description,
    service_types: feature.serviceTypes,
  })),
);

/** The catalogue is defined in code. Queried as a relation, it supports the same list parameters as tables do. */
export const featureView = defineView<typeof Feature.fields, FeatureRow>({
  resource: Feature,
  table: 'features',
  from: sql`jsonb_to_recordset(${catalogue}::jsonb) as features(position int, id text, name text, code text, value_type text,
    unit text, consumable boolean, aggregation_type text, description text, service_types jsonb)`,
  key: { expression: sql.ref('features.position'), descending: false },
});
