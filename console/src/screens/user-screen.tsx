import { SimpleGrid, Stack } from '@mantine/core';
import { usePersonActions } from '../access/person-actions.tsx';
import { DetailPage } from '../detail/detail-page.tsx';
import { Facts, IdentityPanel, MapPanel } from '../detail/facts.tsx';
import { words } from '../fields/words.ts';
import { Panel } from '../layout/page-header.tsx';
import { nouns } from '../nouns/nouns.ts';
import { MembershipsPanel } from '../people/memberships-panel.tsx';
import { client } from '../platform.ts';
import { useMay } from '../session/caller.tsx';
import type { ScreenProps } from './detail-screen.tsx';

export function UserScreen({ row }: ScreenProps) {
  const may = useMay();
  const noun = nouns.users;
  const params = { user_id: row.id };
  const actions = usePersonActions({
    id: row.id,
    name: noun.titleOf(row),
    email: words(row['email']),
    resetPassword: may('createUserPasswordReset') ? () => client.createUserPasswordReset({ params }) : null,
    endSessions: may('endUserSessions') ? () => client.endUserSessions({ params }) : null,
  });
  return (
    <>
      <DetailPage
        noun={noun}
        row={row}
        menu={actions.items}
        sections={[
          {
            key: 'overview',
            title: 'Overview',
            content: (
              <Stack gap="lg">
                <MembershipsPanel user={row} />
                <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
                  <Panel title="Person">
                    <Facts
                      noun={noun}
                      row={row}
                      names={['first_name', 'last_name', 'email', 'email_verified_at', 'locale', 'timezone']}
                    />
                  </Panel>
                  <IdentityPanel noun={noun} row={row} />
                  <MapPanel title="Settings" map={row['user_settings']} />
                  <MapPanel title="Metadata" map={row['user_metadata']} />
                </SimpleGrid>
              </Stack>
            ),
          },
        ]}
      />
      {actions.dialogs}
    </>
  );
}
