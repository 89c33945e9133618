import { Alert, Button, Code, CopyButton, Group, Modal, Stack } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  readonly label: string;
  readonly value: string;
  readonly children?: ReactNode;
  /** A note about the secret after the dialog is closed. */
  readonly warning?: string;
  readonly onClose: () => void;
}

/** A secret that is shown once: the dialog stays open until the person confirms. */
export function SecretDialog({ title, label, value, children, warning, onClose }: Props) {
  return (
    <Modal opened onClose={onClose} closeOnClickOutside={false} withCloseButton={false} size="lg" title={title}>
      <Stack>
        {children}
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle size={18} />}>
          {warning ?? 'Copy it now. It can’t be shown again.'}
        </Alert>
        <Group gap="xs" wrap="nowrap" align="stretch">
          <Code block className="secret" aria-label={label} tabIndex={0} flex={1}>
            {value}
          </Code>
          <CopyButton value={value} timeout={2000}>
            {({ copied, copy }) => (
              <Button
                variant="light"
                h="auto"
                data-autofocus
                leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
                onClick={copy}
              >
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
        </Group>
        <Group justify="flex-end">
          <Button onClick={onClose}>I have it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
