export { reportPeriods, usageGroups } from '@foyer/contract/report.ts';
