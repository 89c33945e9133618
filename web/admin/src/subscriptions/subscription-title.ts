import { type Row, text } from '../../../kit/noun/noun.ts';
import type { SubscriptionRow } from '../nouns/rows.ts';

/**
 * What people call a subscription whose name was made of its package's and a tag: the package. A name that
 * a person chose is kept. The row must include its `package`.
 */
export function subscriptionTitle(row: SubscriptionRow): string {
  const name = text(row, 'name');
  const sold = (row.package as { data?: Row | null } | undefined)?.data;
  const packageName = sold ? text(sold, 'name') : '';
  return packageName !== '' && name === `${packageName} - ${text(row, 'tag')}` ? packageName : name;
}
