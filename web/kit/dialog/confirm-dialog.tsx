import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { RefusalAlert } from '../display/notices/notices.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Contains the name of the resource: "Delete “Weekly”?" */
  readonly title: string;
  readonly children?: ReactNode;
  readonly confirmLabel: string;
  readonly keepLabel?: string;
  readonly isDangerous?: boolean;
  /** Text that must be entered to enable the button. */
  readonly typed?: string;
  /** Closes the dialog on success; an error is shown in the dialog. */
  readonly onConfirm: () => Promise<void>;
}

export function ConfirmDialog({ isDangerous = true, ...props }: Props) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [text, setText] = useState('');
  const isTyped = props.typed === undefined || text.trim() === props.typed.trim();

  async function confirm(): Promise<void> {
    setBusy(true);
    setFailure(null);
    try {
      await props.onConfirm();
      props.onClose();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Modal
      opened={props.isOpen}
      onClose={props.onClose}
      onExitTransitionEnd={() => {
        setFailure(null);
        setText('');
      }}
      title={props.title}
    >
      <Stack>
        <RefusalAlert error={failure} />
        {typeof props.children === 'string' ? <Text c="dimmed">{props.children}</Text> : props.children}
        {props.typed !== undefined && (
          <TextInput
            label={
              <>
                Type <b>{props.typed}</b> to confirm
              </>
            }
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={props.onClose} data-autofocus={isDangerous || undefined}>
            {props.keepLabel ?? 'Cancel'}
          </Button>
          <Button
            color={isDangerous ? 'red' : 'pine'}
            loading={isBusy}
            disabled={!isTyped}
            onClick={() => void confirm()}
          >
            {props.confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
