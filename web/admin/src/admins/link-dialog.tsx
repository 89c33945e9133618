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

/** Shows a link that the caller must send, because no mail server is set up. */
export function LinkDialog({ title, email, url, expiresAt, onClose }: Props) {
  return (
    <SecretDialog
      title={title}
      label="Link"
      value={url}
      warning="Copy the link now: it won’t be shown again. Anyone who has it can use it once."
      onClose={onClose}
    >
      <Text c="dimmed">
        No mail server is set up, so nothing was sent. Send this link to {email}. It is valid until{' '}
        {formatInstant(expiresAt)}.
      </Text>
    </SecretDialog>
  );
}
