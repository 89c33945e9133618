import { Stack, Text } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconChartBar, IconLayoutDashboard } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Noun } from '../../../kit/noun/noun.ts';
import { nounIndex } from '../nouns/nouns.ts';
import { useMay } from '../../../kit/noun/app.tsx';

const platform = 'Platform';

const sections = [...new Set(nounIndex.all.flatMap(({ section }) => section ?? []))];

export function Navigation() {
  const may = useMay();
  return (
    <Stack component="nav" aria-label="Main" gap={2}>
      <Link to="/" className="nav-item" activeOptions={{ exact: true }}>
        <IconLayoutDashboard size={18} stroke={1.6} />
        Dashboard
      </Link>
      {(may('readUsageReport') || may('readSubscriptionsReport')) && (
        <Link to="/reports" className="nav-item" activeOptions={{ includeSearch: false }}>
          <IconChartBar size={18} stroke={1.6} />
          Reports
        </Link>
      )}
      {sections.map((section) => {
        const visibleNouns = nounIndex.all.filter((noun) => noun.section === section && may(noun.list));
        const hasSettings = section === platform && may('readSettings');
        return visibleNouns.length === 0 && !hasSettings ? null : (
          <Stack key={section} gap={2} mt="md">
            <Text fz="xs" fw={600} c="dimmed" px={10} pb={4}>
              {section}
            </Text>
            {visibleNouns.map((noun) => (
              <NounLink key={noun.path} noun={noun} />
            ))}
            {hasSettings && (
              <Link to="/settings" className="nav-item" activeOptions={{ includeSearch: false }}>
                <IconAdjustmentsHorizontal size={18} stroke={1.6} />
                Settings
              </Link>
            )}
          </Stack>
        );
      })}
    </Stack>
  );
}

function NounLink({ noun }: { readonly noun: Noun }) {
  const Icon = noun.icon;
  return (
    <Link to="/$noun" params={{ noun: noun.path }} className="nav-item" activeOptions={{ includeSearch: false }}>
      <Icon size={18} stroke={1.6} />
      {noun.plural}
    </Link>
  );
}
