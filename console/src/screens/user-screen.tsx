import { SimpleGrid, Stack } from '@mantine/core';
import { DetailPage } from '../detail/detail-page.tsx';
import { Facts, IdentityPanel, MapPanel } from '../detail/facts.tsx';
import { IncludedLinks } from '../detail/included-links.tsx';
import { Panel } from '../layout/page-header.tsx';
import { nouns } from '../nouns/nouns.ts';
import type { ScreenProps } from './detail-screen.tsx';

export function UserScreen({ row }: ScreenProps) {
  const noun = nouns.users;
  return (
    <DetailPage
      noun={noun}
      row={row}
      sections={[
        {
          key: 'overview',
          title: 'Overview',
          content: (
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <Stack gap="lg">
                <Panel title="Person">
                  <Facts
                    noun={noun}
                    row={row}
                    names={['first_name', 'last_name', 'email', 'email_verified_at', 'locale', 'timezone']}
                  />
                </Panel>
                <MapPanel title="Settings" map={row['user_settings']} />
                <MapPanel title="Metadata" map={row['user_metadata']} />
                <IdentityPanel noun={noun} row={row} />
              </Stack>
              <Stack gap="lg">
                <IncludedLinks noun={nouns.customers} title="Customers" included={row['customers']} />
                <IncludedLinks noun={nouns.accounts} title="Accounts" included={row['accounts']} />
                <IncludedLinks noun={nouns.rooms} title="Rooms" included={row['rooms']} />
              </Stack>
            </SimpleGrid>
          ),
        },
      ]}
    />
  );
}
