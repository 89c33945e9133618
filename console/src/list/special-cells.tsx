import type { ComponentType } from 'react';
import { ActorCell, SubjectCell } from '../audit/entry-cells.tsx';
import { CustomerStanding } from '../customers/customer-badges.tsx';
import { PackageBadges, StockLeft } from '../detail/package-glance.tsx';
import type { Column } from '../fields/columns.ts';
import { FieldValue } from '../fields/field-value.tsx';
import type { Noun, Row } from '../nouns/noun.ts';

/** A member of a row in a list, where one member alone does not say it. */
export function Cell({ noun, column, row }: { readonly noun: Noun; readonly column: Column; readonly row: Row }) {
  const Special = cells[noun.path]?.[column.name];
  return Special ? <Special row={row} /> : <FieldValue column={column} row={row} />;
}

const cells: Readonly<Record<string, Readonly<Record<string, ComponentType<{ row: Row }>>>>> = {
  customers: { status: CustomerStanding },
  'service-packages': { status: PackageBadges, stock_qty: StockLeft },
  'audit-log': { actor_name: ActorCell, resource_id: SubjectCell },
};
