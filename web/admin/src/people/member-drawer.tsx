import { Button, Group, Stack } from '@mantine/core';
import { type ReactNode, type SubmitEvent, useRef, useState } from 'react';
import { FormFaults } from '../../../kit/form/form-faults.tsx';
import { SideDrawer, useDrawerClose } from '../../../kit/dialog/side-drawer.tsx';

interface Props {
  readonly title: string;
  readonly submitLabel: string;
  /** Errors that belong to no field of the form. */
  readonly otherErrors: readonly string[];
  readonly failure: unknown;
  readonly children: ReactNode;
  readonly canSubmit?: boolean;
  /** Whether leaving would discard input. */
  readonly isDirty: boolean;
  readonly onClose: () => void;
  /** Must handle its own errors. */
  readonly onSubmit: () => Promise<void>;
}

/** A form about a membership or an invitation. */
export function MemberDrawer(props: Props) {
  return (
    <SideDrawer title={props.title} isOpen onClose={props.onClose}>
      <MemberForm {...props} />
    </SideDrawer>
  );
}

function MemberForm(props: Props) {
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const close = useDrawerClose(props.isDirty && !isBusy);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    event.stopPropagation();
    setBusy(true);
    await props.onSubmit();
    setBusy(false);
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  }

  return (
    <form ref={form} noValidate onSubmit={(event) => void submit(event)}>
      <Stack p="xl" pt="lg" gap="lg">
        <FormFaults failure={props.failure} otherErrors={props.otherErrors} />
        {props.children}
      </Stack>
      <Group className="form-foot" justify="flex-end" gap="sm">
        <Button variant="default" onClick={close ?? props.onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={isBusy} disabled={props.canSubmit === false}>
          {props.submitLabel}
        </Button>
      </Group>
    </form>
  );
}
