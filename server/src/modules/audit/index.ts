export { loadAuditCodes } from './audit-key.ts';
