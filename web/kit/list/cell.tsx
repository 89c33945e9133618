import type { ComponentType } from 'react';
import { FieldValue } from '../display/field-value.tsx';
import type { Row } from '../noun/noun.ts';
import type { Column } from './columns.ts';

/** Components for columns that show more than the member of the same name. */
export type Cells = Readonly<Record<string, ComponentType<{ readonly row: Row }>>>;

export function Cell(props: { readonly cells: Cells | undefined; readonly column: Column; readonly row: Row }) {
  const { cells, column, row } = props;
  const Custom = cells?.[column.name];
  return Custom ? <Custom row={row} /> : <FieldValue column={column} row={row} />;
}
