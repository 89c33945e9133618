import { Drawer, Group } from '@mantine/core';
import { createContext, type ReactNode, use, useLayoutEffect, useState } from 'react';
import { useLeaveGuard } from './leave-guard.tsx';

interface DrawerUse {
  /** Closes it, having asked where something would be lost. */
  readonly close: () => void;
  readonly setDirty: (isDirty: boolean) => void;
}

const DrawerContext = createContext<DrawerUse | null>(null);

/** A form at the right edge: what was typed into it is not dropped unasked. */
export function SideDrawer(props: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly size?: number;
  readonly children: ReactNode;
}) {
  const [isDirty, setDirty] = useState(false);
  const guard = useLeaveGuard(props.isOpen && isDirty);
  const close = () => guard.leave(props.onClose);
  return (
    <Drawer.Root
      opened={props.isOpen}
      onClose={close}
      closeOnEscape={!guard.isAsking}
      position="right"
      size={props.size ?? 560}
    >
      <Drawer.Overlay />
      <Drawer.Content>
        <Group className="form-head" justify="space-between" wrap="nowrap">
          <Drawer.Title fz="lg" fw={620} lh={1.3} style={{ overflowWrap: 'anywhere' }}>
            {props.title}
          </Drawer.Title>
          <Drawer.CloseButton aria-label="Close" />
        </Group>
        <Drawer.Body p={0}>
          <DrawerContext value={{ close, setDirty }}>{props.isOpen && props.children}</DrawerContext>
        </Drawer.Body>
      </Drawer.Content>
      {guard.dialog}
    </Drawer.Root>
  );
}

/** Tells the drawer around a form whether something would be lost. @returns what its button to leave does */
export function useDrawerClose(isDirty: boolean): (() => void) | null {
  const drawer = use(DrawerContext);
  const setDirty = drawer?.setDirty;
  // At once: the next key may be the one that closes it.
  useLayoutEffect(() => {
    setDirty?.(isDirty);
    return () => setDirty?.(false);
  }, [isDirty, setDirty]);
  return drawer?.close ?? null;
}
