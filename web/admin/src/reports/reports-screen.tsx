import { SegmentedControl } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ForbiddenScreen } from '../../../kit/display/notices/missing-screen.tsx';
import { PageHeader } from '../../../kit/display/page-header.tsx';
import { useNow } from '../../../kit/display/use-now.ts';
import { type ReportChange, readReportSearch, presetRanges } from './report-search.ts';
import { SubscriptionsReport } from './subscriptions-report.tsx';
import { UsageReport } from './usage-report.tsx';
import { useMay } from '../../../kit/noun/app.tsx';

export function ReportsScreen() {
  const may = useMay();
  const search = useSearch({ from: '/reports' });
  const navigate = useNavigate();
  const reports = [
    ...(may('readUsageReport') ? [{ value: 'usage', label: 'Usage' }] : []),
    ...(may('readSubscriptionsReport') ? [{ value: 'subscriptions', label: 'Subscriptions' }] : []),
  ];
  const report = reports.find(({ value }) => value === search.report) ?? reports[0];
  const today = new Date(useNow()).toISOString().slice(0, 10);
  if (report === undefined) return <ForbiddenScreen needs={['readUsageReport', 'readSubscriptionsReport']} />;
  const [defaultRange] = presetRanges(today);
  const range = {
    from: search.from ?? defaultRange?.from ?? today,
    to: search.to ?? today,
    by: search.by ?? ('day' as const),
  };

  function change(changed: ReportChange): void {
    void navigate({ to: '/reports', search: readReportSearch({ ...search, ...changed }), replace: true });
  }

  const Report = report.value === 'usage' ? UsageReport : SubscriptionsReport;
  return (
    <>
      <PageHeader
        title="Reports"
        summary={
          report.value === 'usage'
            ? 'Usage in the period in which it occurred.'
            : 'Sales, revenue, and subscriptions that end soon.'
        }
        actions={
          reports.length > 1 && (
            <SegmentedControl
              aria-label="Report"
              value={report.value}
              data={reports}
              onChange={(value) => change({ report: value === 'subscriptions' ? value : undefined })}
            />
          )
        }
      />
      <Report search={search} range={range} today={today} onChange={change} />
    </>
  );
}
