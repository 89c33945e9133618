export { reportPeriods, usageGroups } from '@foyer/contract/resources/report.ts';
