import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconPlus } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../../kit/display/lazy-part.tsx';
import type { Noun } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { useMay } from '../../../kit/noun/app.tsx';

const creatableNouns: readonly Noun[] = [
  nouns.customers,
  nouns.subscriptions,
  nouns.accounts,
  nouns.rooms,
  nouns.servicePackages,
  nouns.serviceProviders,
];

const NewDrawer = lazyPart(async () => (await import('./new-drawer.tsx')).NewDrawer);

/** The “New” menu, with the resources that the caller may create. */
export function NewMenu() {
  const may = useMay();
  const [chosen, setChosen] = useState<Noun | null>(null);
  const [drawerKey, setDrawerKey] = useState(0);
  const allowed = creatableNouns.filter(({ create }) => create !== undefined && may(create));
  if (allowed.length === 0) return null;
  return (
    <div>
      <Menu position="bottom-end" shadow="md" width={210}>
        <Menu.Target>
          <Button leftSection={<IconPlus size={16} />} rightSection={<IconChevronDown size={15} />}>
            New
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {allowed.map((noun) => (
            <Menu.Item
              key={noun.path}
              leftSection={<noun.icon size={16} stroke={1.6} />}
              onClick={() => {
                setChosen(noun);
                setDrawerKey(drawerKey + 1);
              }}
            >
              {noun.singular.charAt(0).toUpperCase() + noun.singular.slice(1)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Suspense>{chosen !== null && <NewDrawer key={drawerKey} noun={chosen} />}</Suspense>
    </div>
  );
}
