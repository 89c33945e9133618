import { defineModule } from '../../module.ts';
import { auditJobs } from './jobs.ts';
import { auditKeyColumn } from './audit-key.ts';
import { auditRoutes } from './routes.ts';

export { AuditKeyMissing, auditKeyColumn, loadAuditMac } from './audit-key.ts';
export { objectOfType, objectsOfPrefix, printResourceId, typeOfResource } from './resource-prefixes.ts';
export { printActorId } from './transformer.ts';
export { recordEscalationAttempt } from './record-escalation-attempt.ts';
export { parseHead, verifyAudit } from './verify-audit.ts';

export const audit = defineModule({
  name: 'audit',
  routes: auditRoutes,
  jobs: auditJobs,
  encryptedColumns: [auditKeyColumn],
});
