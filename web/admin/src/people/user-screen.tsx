import { SimpleGrid, Stack } from '@mantine/core';
import { usePersonActions } from '../admins/person-actions.tsx';
import { DetailPage } from '../resource/detail-page.tsx';
import { Facts, IdentityPanel, MapPanel } from '../../../kit/display/facts.tsx';
import { toText } from '../../../kit/format/to-text.ts';
import { Panel } from '../../../kit/display/page-header.tsx';
import { nouns } from '../nouns/nouns.ts';
import { UserNotifications } from './user-notifications.tsx';
import { MembershipsPanel } from './memberships-panel.tsx';
import { client } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { ScreenProps } from '../resource/screen-props.ts';
import type { UserRow } from '../nouns/rows.ts';

export function UserScreen({ row }: ScreenProps<UserRow>) {
  const may = useMay();
  const noun = nouns.users;
  const params = { user_id: row.id };
  const actions = usePersonActions({
    id: row.id,
    name: noun.titleOf(row),
    email: toText(row.email),
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
                  <MapPanel title="Settings" map={row.user_settings} />
                  <MapPanel title="Metadata" map={row.user_metadata} />
                </SimpleGrid>
              </Stack>
            ),
          },
          {
            key: 'notifications',
            title: 'Notifications',
            hidden: !may('updateUser'),
            content: <UserNotifications user={row} />,
          },
        ]}
      />
      {actions.dialogs}
    </>
  );
}
