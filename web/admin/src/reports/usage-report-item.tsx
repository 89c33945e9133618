import { Menu } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useMay } from '../../../kit/noun/app.tsx';
import type { ReportSearch } from './report-search.ts';

/** Link from a customer or subscription to its usage report. */
export function UsageReportItem({ search }: { readonly search: ReportSearch }) {
  const may = useMay();
  const navigate = useNavigate();
  if (!may('readUsageReport')) return null;
  return (
    <Menu.Item
      leftSection={<IconChartBar size={16} />}
      onClick={() => void navigate({ to: '/reports', search: { ...search } })}
    >
      Usage report
    </Menu.Item>
  );
}
