import type { Column } from './columns.ts';
import type { Noun, Row } from '../noun/noun.ts';
import type { Cells } from './cell.tsx';
import type { ListState } from './list-state.ts';

export interface RowsProps {
  readonly noun: Noun;
  readonly columns: readonly Column[];
  /** Null while loading. */
  readonly rows: readonly Row[] | null;
  readonly state: ListState;
  readonly onStateChange: (state: ListState) => void;
  readonly isStale: boolean;
  readonly cells: Cells | undefined;
}
