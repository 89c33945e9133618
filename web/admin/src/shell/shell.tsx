import { AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { CallerMenu } from './caller-menu.tsx';
import { Logo } from './logo.tsx';
import { Navigation } from './navigation.tsx';
import { QuickSearch } from './quick-search.tsx';

export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  useEffect(close, [path, close]);
  return (
    <>
      <a href="#content" className="skip-link">
        Skip to the content
      </a>
      <AppShell
        layout="alt"
        header={{ height: 56 }}
        navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
        styles={{
          header: { background: 'var(--foyer-page)', borderColor: 'var(--foyer-line)' },
          navbar: { background: 'var(--foyer-page)', borderColor: 'var(--foyer-line)' },
        }}
      >
        <AppShell.Header>
          <Group h="100%" px={{ base: 'sm', sm: 'xl' }} justify="space-between" wrap="nowrap">
            <Group gap="xs" wrap="nowrap">
              <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Open the navigation" />
              <QuickSearch />
            </Group>
            <CallerMenu />
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="sm">
          <Group h={40} px={8} mb="md" justify="space-between" wrap="nowrap">
            <Link to="/" style={{ textDecoration: 'none', color: 'inherit' }} aria-label="Foyer: go to the dashboard">
              <Group gap={10} wrap="nowrap">
                <Logo size={26} />
                <Text fw={650} fz="lg" style={{ letterSpacing: '-0.02em' }}>
                  Foyer
                </Text>
              </Group>
            </Link>
            <Burger opened onClick={close} hiddenFrom="sm" size="sm" aria-label="Close the navigation" />
          </Group>
          <Navigation />
        </AppShell.Navbar>
        <AppShell.Main id="content" tabIndex={-1} style={{ outline: 0 }}>
          <div className="page">
            <Outlet />
          </div>
        </AppShell.Main>
      </AppShell>
    </>
  );
}
