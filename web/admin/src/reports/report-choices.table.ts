export { reportPeriods, usageGroups } from '@foyer/contract/resources/platform/report.ts';
