import { type Row, text } from '../../../kit/noun/noun.ts';
import type { SubscriptionRow } from '../nouns/rows.ts';

/**
 * The title of a subscription: the name of its package if the subscription's name was generated from it, otherwise its
 * own name. The row must include its `package`.
 */
export function subscriptionTitle(row: SubscriptionRow): string {
  const name = text(row, 'name');
  const servicePackage = (row.package as { data?: Row | null } | undefined)?.data;
  const packageName = servicePackage ? text(servicePackage, 'name') : '';
  return packageName !== '' && name === `${packageName} - ${text(row, 'tag')}` ? packageName : name;
}
