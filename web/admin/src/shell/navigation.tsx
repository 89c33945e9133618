import { Stack, Text } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconChartBar, IconLayoutDashboard } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Noun } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { useMay } from '../../../kit/noun/app.tsx';

const sections: readonly { title: string; nouns: readonly Noun[] }[] = [
  { title: 'Customers', nouns: [nouns.customers, nouns.subscriptions, nouns.accounts, nouns.users] },
  { title: 'Rooms', nouns: [nouns.rooms, nouns.meetings, nouns.recordings] },
  { title: 'Catalogue', nouns: [nouns.servicePackages, nouns.serviceProviders] },
  { title: 'Access', nouns: [nouns.admins, nouns.roles, nouns.oauthClients, nouns.auditEntries] },
];

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
        const shown = section.nouns.filter((noun) => may(noun.list));
        return shown.length === 0 ? null : (
          <Stack key={section.title} gap={2} mt="md">
            <Text fz="xs" fw={600} c="dimmed" px={10} pb={4}>
              {section.title}
            </Text>
            {shown.map((noun) => (
              <NounLink key={noun.path} noun={noun} />
            ))}
          </Stack>
        );
      })}
      {may('readSettings') && (
        <Stack gap={2} mt="md">
          <Text fz="xs" fw={600} c="dimmed" px={10} pb={4}>
            Platform
          </Text>
          <Link to="/settings" className="nav-item">
            <IconAdjustmentsHorizontal size={18} stroke={1.6} />
            Settings
          </Link>
        </Stack>
      )}
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
