import type { Jobs } from '../../module.ts';
import { sealEntries } from './seal-entries.ts';

export const auditJobs: Jobs = {
  'seal-audit': {
    description: 'Adds the entries of the audit log to its hash chain.',
    schedule: '* * * * *',
    counted: 'entries added',
    run: ({ db, auditMac }) => sealEntries(db, auditMac),
  },
};
