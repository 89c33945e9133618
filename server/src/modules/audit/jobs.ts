import type { Dependencies } from '../../dependencies.ts';
import { sealEntries } from './seal-entries.ts';

/** Puts the entries of the audit log into its chain. */
export async function sealAudit({ db, auditCodes }: Dependencies): Promise<number> {
  return await sealEntries(db, auditCodes);
}
