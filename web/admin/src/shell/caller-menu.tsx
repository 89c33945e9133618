import {
  Avatar,
  Group,
  Menu,
  SegmentedControl,
  Text,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { IconBook2, IconDeviceDesktop, IconLogout, IconMoon, IconSun, IconUserCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useCaller } from '../session/caller.tsx';
import { signOut } from '../../../kit/api/session.ts';
import { showFailure } from '../../../kit/display/notices/toasts.ts';

export function CallerMenu() {
  const caller = useCaller();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" width={240} shadow="md">
      <Menu.Target>
        <UnstyledButton style={{ borderRadius: 20 }}>
          <VisuallyHidden>Your account: {caller.full_name}</VisuallyHidden>
          <Group gap="xs" wrap="nowrap" aria-hidden>
            <Text fz="sm" fw={520} visibleFrom="xs">
              {caller.full_name}
            </Text>
            <Avatar name={caller.full_name} color="pine" size={32} />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label style={{ overflowWrap: 'anywhere' }}>
          <Text fz="sm" fw={560} c="var(--mantine-color-text)" component="div">
            {caller.full_name}
          </Text>
          {caller.email}
        </Menu.Label>
        <Group px="sm" py={6}>
          <SegmentedControl
            fullWidth
            w="100%"
            size="xs"
            aria-label="Appearance"
            value={colorScheme}
            onChange={(value) => setColorScheme(value)}
            data={[
              { value: 'light', label: <SchemeLabel icon={IconSun} name="Light" /> },
              { value: 'dark', label: <SchemeLabel icon={IconMoon} name="Dark" /> },
              { value: 'auto', label: <SchemeLabel icon={IconDeviceDesktop} name="System" /> },
            ]}
          />
        </Group>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<IconUserCircle size={16} />}>
          Your account
        </Menu.Item>
        <Menu.Item component="a" href="/docs" target="_blank" rel="noreferrer" leftSection={<IconBook2 size={16} />}>
          API reference
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut().catch(showFailure)}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function SchemeLabel({ icon: Icon, name }: { readonly icon: typeof IconSun; readonly name: string }) {
  return (
    <Group justify="center" py={1}>
      <Icon size={15} stroke={1.7} aria-hidden />
      <VisuallyHidden>{name}</VisuallyHidden>
    </Group>
  );
}
