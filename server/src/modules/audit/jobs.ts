import type { Jobs } from '../../module.ts';
import type { Dependencies } from '../../dependencies.ts';
import { sealEntries } from './seal-entries.ts';

async function sealAudit({ db, auditMac }: Dependencies): Promise<number> {
  return await sealEntries(db, auditMac);
}

export const auditJobs: Jobs = {
  'seal-audit': {
    description: 'Adds the entries of the audit log to its hash chain.',
    schedule: '* * * * *',
    counted: 'entries added',
    run: sealAudit,
  },
};
