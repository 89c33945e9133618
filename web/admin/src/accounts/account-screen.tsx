import { SimpleGrid, Stack } from '@mantine/core';
import { DetailPage } from '../resource/detail-page.tsx';
import { Facts, IdentityPanel, MapPanel } from '../../../kit/display/facts.tsx';
import { RelatedList } from '../resource/related-list.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { nouns } from '../nouns/nouns.ts';
import { levels, scopeOf } from '../people/levels.ts';
import { PeopleSection } from '../people/people-section.tsx';
import { useMay } from '../../../kit/noun/app.tsx';
import type { ScreenProps } from '../resource/screen-props.ts';
import type { AccountRow } from '../nouns/rows.ts';

export function AccountScreen({ row }: ScreenProps<AccountRow>) {
  const may = useMay();
  const noun = nouns.accounts;
  return (
    <DetailPage
      noun={noun}
      row={row}
      sections={[
        {
          key: 'rooms',
          title: 'Rooms',
          hidden: !may('listRooms'),
          content: <RelatedList noun={nouns.rooms} within={{ account_id: row.id }} presets={{ account_id: row.id }} />,
        },
        {
          key: 'people',
          title: 'People',
          hidden: !may(levels.account.list) && !may('listInvitations'),
          content: <PeopleSection scope={scopeOf(levels.account, row)} />,
        },
        {
          key: 'about',
          title: 'About',
          content: (
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <Stack gap="lg">
                <Panel title="Account">
                  <Facts noun={noun} row={row} names={['subscriber_id', 'subscription_id', 'tag', 'code']} />
                </Panel>
                <MapPanel title="Settings" map={row.account_settings} />
                <MapPanel title="Metadata" map={row.account_metadata} />
              </Stack>
              <IdentityPanel noun={noun} row={row} />
            </SimpleGrid>
          ),
        },
      ]}
    />
  );
}
