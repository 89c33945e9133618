import type { Constraints } from './search.ts';

/** The filter for an id that was pasted into the search; null for other text. */
export function filterForPasted(text: string, filters: readonly string[]): Constraints | null {
  const pasted = text.trim();
  const match = shapes.find(({ shape }) => shape.test(pasted));
  return match === undefined || !filters.includes(match.filter) ? null : { [match.filter]: pasted };
}

const shapes: readonly { readonly shape: RegExp; readonly filter: string }[] = [
  { shape: /^cust_[0-9a-z]{26}$/, filter: 'customer_id' },
  { shape: /^(admin|user)_[0-9a-z]{26}$/, filter: 'actor_id' },
  { shape: /^client_[0-9a-z]{26}$/, filter: 'client_id' },
  { shape: /^[a-z]+_[0-9a-z]{26}$/, filter: 'resource_id' },
  { shape: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, filter: 'request_id' },
  { shape: /^\d{1,3}(\.\d{1,3}){3}$|^[0-9a-f]*:[0-9a-f:]+:[0-9a-f]*$/i, filter: 'address' },
  { shape: /^[a-z_]{3,}\.[a-z_]{3,}$/, filter: 'action' },
];
