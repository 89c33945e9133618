import type { FormValues } from '../../../kit/form/form-values.ts';
import type { Row } from '../../../kit/noun/noun.ts';

/** Whether a row is demonstration data: its metadata say so, or its customer's if the row has no metadata. */
export function isDemonstration(row: Row): boolean {
  const metadataField = ['metadata', 'package_metadata', 'customer_metadata', 'room_metadata'].find(
    (name) => name in row,
  );
  if (metadataField !== undefined) return isMarked(row[metadataField]);
  const customer = (row.customer as { readonly data?: Row | null } | undefined)?.data;
  return isMarked(customer?.['customer_metadata']);
}

function isMarked(metadata: unknown): boolean {
  return typeof metadata === 'object' && metadata !== null && (metadata as FormValues)['demonstration'] === true;
}
