import { Group, Kbd, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../../kit/display/lazy-part.tsx';

const SearchDialog = lazyPart(async () => (await import('./search-dialog.tsx')).SearchDialog);

/** The search field of every page, for customers, rooms and all other resources. */
export function QuickSearch() {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [wasOpened, setWasOpened] = useState(false);
  if (isOpen && !wasOpened) setWasOpened(true);
  useHotkeys([['mod+K', open]]);
  return (
    <>
      <UnstyledButton
        onClick={open}
        px="sm"
        h={34}
        style={{ border: '1px solid var(--foyer-line)', borderRadius: 8, background: 'var(--mantine-color-body)' }}
      >
        <Group gap={8} wrap="nowrap">
          <IconSearch size={15} color="var(--mantine-color-dimmed)" />
          <VisuallyHidden>Search everything</VisuallyHidden>
          <Text fz="sm" c="dimmed" visibleFrom="xs" pr={60} aria-hidden>
            Search
          </Text>
          <Kbd size="xs" visibleFrom="sm" aria-hidden>
            Ctrl K
          </Kbd>
        </Group>
      </UnstyledButton>
      <Suspense>{wasOpened && <SearchDialog isOpen={isOpen} onClose={close} />}</Suspense>
    </>
  );
}
