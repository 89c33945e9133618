import { SegmentedControl } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ForbiddenScreen } from '../../../kit/display/notices/missing-screen.tsx';
import { PageHeader } from '../../../kit/display/page-header.tsx';
import { useNow } from '../../../kit/display/use-now.ts';
import { type ReportChange, readReportSearch, usualRanges } from './report-search.ts';
import { SubscriptionsReport } from './subscriptions-report.tsx';
import { UsageReport } from './usage-report.tsx';
import { useMay } from '../../../kit/noun/app.tsx';

export function ReportsScreen() {
  const may = useMay();
  const search = useSearch({ from: '/reports' });
  const navigate = useNavigate();
  const offered = [
    ...(may('readUsageReport') ? [{ value: 'usage', label: 'Usage' }] : []),
    ...(may('readSubscriptionsReport') ? [{ value: 'subscriptions', label: 'Subscriptions' }] : []),
  ];
  const chosen = offered.find(({ value }) => value === search.report) ?? offered[0];
  const today = new Date(useNow()).toISOString().slice(0, 10);
  if (chosen === undefined) return <ForbiddenScreen needs={['readUsageReport', 'readSubscriptionsReport']} />;
  const [usual] = usualRanges(today);
  const range = {
    from: search.from ?? usual?.from ?? today,
    to: search.to ?? today,
    by: search.by ?? ('day' as const),
  };

  function change(part: ReportChange): void {
    void navigate({ to: '/reports', search: readReportSearch({ ...search, ...part }), replace: true });
  }

  const Report = chosen.value === 'usage' ? UsageReport : SubscriptionsReport;
  return (
    <>
      <PageHeader
        title="Reports"
        summary={
          chosen.value === 'usage'
            ? 'Usage, by the period in which it occurred.'
            : 'Sales, revenue, and subscriptions that end soon.'
        }
        actions={
          offered.length > 1 && (
            <SegmentedControl
              aria-label="Report"
              value={chosen.value}
              data={offered}
              onChange={(value) => change({ report: value === 'subscriptions' ? value : undefined })}
            />
          )
        }
      />
      <Report search={search} range={range} today={today} onChange={change} />
    </>
  );
}
