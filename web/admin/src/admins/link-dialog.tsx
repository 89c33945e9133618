import { Text } from '@mantine/core';
import { formatInstant } from '../../../kit/format/instants.ts';
import { SecretDialog } from '../../../kit/dialog/secret-dialog.tsx';

interface Props {
  readonly title: string;
  readonly email: string;
  readonly url: string;
  readonly expiresAt: string;
  readonly onClose: () => void;
}

/** Shows a link that was not mailed, to be passed on. */
export function LinkDialog({ title, email, url, expiresAt, onClose }: Props) {
  return (
    <SecretDialog
      title={title}
      label="Link"
      value={url}
      warning="Copy it now: it is not shown again. It works once, for anyone who has it."
      onClose={onClose}
    >
      <Text c="dimmed">
        No mail server is set up, so nothing was sent. Pass this link on to {email}; it is valid until{' '}
        {formatInstant(expiresAt)}.
      </Text>
    </SecretDialog>
  );
}
