import { Drawer, Group } from '@mantine/core';
import {
  createContext,
  type ReactNode,
  type RefObject,
  use,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useLeaveGuard } from './leave-guard.tsx';

interface DrawerControls {
  /** Closes the drawer. Asks first if input would be lost. */
  readonly close: () => void;
  readonly setDirty: (isDirty: boolean) => void;
  readonly body: RefObject<HTMLElement | null>;
}

const DrawerContext = createContext<DrawerControls | null>(null);

/** A drawer at the right edge. It asks before it discards input. */
export function SideDrawer(props: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly size?: number;
  readonly children: ReactNode;
}) {
  const [isDirty, setDirty] = useState(false);
  const body = useRef<HTMLDivElement>(null);
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
        <Drawer.Body p={0} ref={body}>
          <DrawerContext value={{ close, setDirty, body }}>
            {props.isOpen && <FirstFieldFocus body={body}>{props.children}</FirstFieldFocus>}
          </DrawerContext>
        </Drawer.Body>
      </Drawer.Content>
      {guard.dialog}
    </Drawer.Root>
  );
}

/** Informs the drawer whether its form has unsaved input. @returns the handler of the cancel button */
export function useDrawerClose(isDirty: boolean): (() => void) | null {
  const drawer = use(DrawerContext);
  const setDirty = drawer?.setDirty;
  // A layout effect, because the next key press can already close the drawer.
  useLayoutEffect(() => {
    setDirty?.(isDirty);
    return () => setDirty?.(false);
  }, [isDirty, setDirty]);
  // A form that was loaded later takes the focus, too.
  const body = drawer?.body;
  useEffect(() => body && focusFirstField(body.current), [body]);
  return drawer?.close ?? null;
}

function FirstFieldFocus(props: { readonly body: RefObject<HTMLElement | null>; readonly children: ReactNode }) {
  const { body, children } = props;
  useEffect(() => focusFirstField(body.current), [body]);
  return children;
}

/** Focuses the first field, before the focus trap focuses the close button. @returns a function that cancels the focus */
function focusFirstField(body: HTMLElement | null): () => void {
  const field = body?.querySelector<HTMLElement>('input:not([type="hidden"], :disabled), textarea:not(:disabled)');
  field?.setAttribute('data-autofocus', '');
  const timer = setTimeout(() => {
    if (!body?.contains(document.activeElement)) field?.focus({ preventScroll: true });
  });
  return () => clearTimeout(timer);
}
