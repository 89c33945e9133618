import { Badge, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconUserShield } from '@tabler/icons-react';
import { RolePermissions } from './role-permissions.tsx';
import { DetailPage } from '../resource/detail-page.tsx';
import { Facts, IdentityPanel } from '../../../kit/display/facts.tsx';
import { IncludedLinks } from '../resource/included-links.tsx';
import { toText } from '../../../kit/format/to-text.ts';
import { Copyable } from '../../../kit/display/copyable.tsx';
import { Placeholder } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { defaultRole } from '../nouns/access-nouns.ts';
import type { Noun, Row } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { ScreenProps } from '../resource/screen-props.ts';
import type { RoleRow } from '../nouns/rows.ts';

/** The default role is read-only. */
function nounFor(row: RoleRow): Noun {
  const { update, remove, ...rest } = nouns.roles;
  return row.name === defaultRole || update === undefined || remove === undefined ? rest : nouns.roles;
}

export function RoleScreen({ row }: ScreenProps<RoleRow>) {
  const may = useMay();
  const noun = nounFor(row);
  const description = toText(row.description);
  const holders = (row.admins as { data?: readonly Row[] } | undefined)?.data ?? [];
  return (
    <DetailPage
      noun={noun}
      row={row}
      badges={
        row.name === defaultRole && (
          <Badge variant="light" tt="none" fw={560}>
            Default role
          </Badge>
        )
      }
      summary={description === '' ? <Copyable value={toText(row.name)} label="name" /> : <Text>{description}</Text>}
      sections={[
        {
          key: 'permissions',
          title: 'Permissions',
          hidden: !may('listPermissions'),
          content: <RolePermissions row={row} />,
        },
        {
          key: 'holders',
          title: `Administrators (${holders.length})`,
          hidden: !may('listAdmins'),
          content:
            holders.length === 0 ? (
              <Panel>
                <Placeholder title="No administrator has this role" icon={<IconUserShield stroke={1.4} />}>
                  Assign it on an administrator’s page.
                </Placeholder>
              </Panel>
            ) : (
              <IncludedLinks noun={nouns.admins} title="Administrators" included={row.admins} />
            ),
        },
        {
          key: 'about',
          title: 'About',
          content: (
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <Panel title="Role">
                <Facts noun={noun} row={row} names={['display_name', 'name', 'description', 'guard_name']} />
              </Panel>
              <Stack gap="lg">
                <IdentityPanel noun={noun} row={row} />
              </Stack>
            </SimpleGrid>
          ),
        },
      ]}
    />
  );
}
