import type { AuditMac } from '../../events/audit-mac.ts';
import type { Tx } from '../../events/change.ts';
import type { StoredHead } from './store.ts';

export type Tampering = 'altered' | 'removed' | 'reordered' | 'forged' | 'cut';

/** All checks read one snapshot of the database. */
export interface Inspection {
  readonly tx: Tx;
  readonly auditMac: AuditMac;
  readonly head: StoredHead | null;
  report(subject: string, tampering: Tampering, text: string): void;
}
