import { Button, Drawer, Group, Stack } from '@mantine/core';
import { type ReactNode, type SubmitEvent, useRef, useState } from 'react';
import { FormFaults } from '../form/form-faults.tsx';

interface Props {
  readonly title: string;
  readonly submitLabel: string;
  /** Of a refusal, what no field of the form shows. */
  readonly stray: readonly string[];
  readonly failure: unknown;
  readonly children: ReactNode;
  readonly canSubmit?: boolean;
  readonly onClose: () => void;
  /** Settles its own failures. */
  readonly onSubmit: () => Promise<void>;
}

/** A form about a membership or an invitation. */
export function MemberDrawer(props: Props) {
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    event.stopPropagation();
    setBusy(true);
    await props.onSubmit();
    setBusy(false);
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  }

  return (
    <Drawer.Root opened onClose={props.onClose} position="right" size={560}>
      <Drawer.Overlay />
      <Drawer.Content>
        <Group className="form-head" justify="space-between" wrap="nowrap">
          <Drawer.Title fz="lg" fw={620} lh={1.3} style={{ overflowWrap: 'anywhere' }}>
            {props.title}
          </Drawer.Title>
          <Drawer.CloseButton aria-label="Close" />
        </Group>
        <Drawer.Body p={0}>
          <form ref={form} noValidate onSubmit={(event) => void submit(event)}>
            <Stack p="xl" pt="lg" gap="lg">
              <FormFaults failure={props.failure} stray={props.stray} />
              {props.children}
            </Stack>
            <Group className="form-foot" justify="flex-end" px="xl" py="md">
              <Button variant="default" onClick={props.onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={isBusy} disabled={props.canSubmit === false}>
                {props.submitLabel}
              </Button>
            </Group>
          </form>
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
