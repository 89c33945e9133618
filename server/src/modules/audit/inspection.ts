import type { AuditMac } from '../../events/audit-mac.ts';
import type { Tx } from '../../events/change.ts';
import type { StoredHead } from './store.ts';

export type Tampering = 'altered' | 'removed' | 'reordered' | 'forged' | 'cut';

/** What all checks of the audit log share: one snapshot of the database, and where findings go. */
export interface Inspection {
  readonly tx: Tx;
  readonly codes: AuditMac;
  readonly head: StoredHead | null;
  find(subject: string, tampering: Tampering, text: string): void;
}
