import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconPlus } from '@tabler/icons-react';
import { useCreation } from '../form/use-creation.tsx';
import { allNouns, nouns } from '../nouns/nouns.ts';
import { useMay } from '../session/caller.tsx';

/** The short way to a new customer, subscription, account or room. */
export function NewMenu() {
  const may = useMay();
  const creations = {
    customers: useCreation(nouns.customers),
    subscriptions: useCreation(nouns.subscriptions),
    accounts: useCreation(nouns.accounts),
    rooms: useCreation(nouns.rooms),
    'service-packages': useCreation(nouns.servicePackages),
    'service-providers': useCreation(nouns.serviceProviders),
  };
  const shown = allNouns.flatMap((noun) => {
    const creation = Object.entries(creations).find(([path]) => path === noun.path)?.[1];
    return creation?.isAllowed && noun.create !== undefined && may(noun.create) ? [{ noun, creation }] : [];
  });
  if (shown.length === 0) return null;
  return (
    <div>
      <Menu position="bottom-end" shadow="md" width={210}>
        <Menu.Target>
          <Button leftSection={<IconPlus size={16} />} rightSection={<IconChevronDown size={15} />}>
            New
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {shown.map(({ noun, creation }) => (
            <Menu.Item key={noun.path} leftSection={<noun.icon size={16} stroke={1.6} />} onClick={creation.open}>
              {noun.singular.charAt(0).toUpperCase() + noun.singular.slice(1)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {shown.map(({ noun, creation }) => (
        <div key={noun.path}>{creation.drawer}</div>
      ))}
    </div>
  );
}
