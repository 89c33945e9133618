import { StatusBadge } from '../../../kit/display/status.tsx';
import type { MailRow } from '../nouns/rows.ts';

export function MailStateCell({ row }: { readonly row: MailRow }) {
  return <StatusBadge value={row.state} />;
}
