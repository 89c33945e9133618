import type { Row } from '../../../kit/noun/noun.ts';

export interface ScreenProps<R extends Row> {
  readonly row: R;
}
