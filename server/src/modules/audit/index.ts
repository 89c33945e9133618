export { loadAuditCodes } from './audit-key.ts';
export { parseHead, verifyAudit } from './verify-audit.ts';
