export { AuditKeyMissing, auditKeySealed, loadAuditCodes } from './audit-key.ts';
export { recordRefusal } from './record-refusal.ts';
export { parseHead, verifyAudit } from './verify-audit.ts';
