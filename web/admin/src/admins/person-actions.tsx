import { Menu } from '@mantine/core';
import type { EndpointAnswer } from '@foyer/sdk';
import { IconActivity, IconKey, IconLogout2 } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { LinkDialog } from './link-dialog.tsx';

export interface PersonActions {
  readonly items: ReactNode;
  readonly dialogs: ReactNode;
}

interface Options {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** Null if the caller lacks the permission. */
  readonly resetPassword: (() => Promise<EndpointAnswer<'createUserPasswordReset'>>) | null;
  readonly endSessions: (() => Promise<unknown>) | null;
}

/** Actions for a person: create a password link, end all sessions. */
export function usePersonActions({ id, name, email, resetPassword, endSessions }: Options): PersonActions {
  const [dialog, setDialog] = useState<'reset' | 'sessions' | null>(null);
  const [link, setLink] = useState<{ url: string; expiresAt: string } | null>(null);
  const may = useMay();
  const navigate = useNavigate();
  const close = () => setDialog(null);

  async function reset(): Promise<void> {
    if (resetPassword === null) return;
    const { data } = await resetPassword();
    await refreshEverything();
    if (data.url === null) showDone(`A link to choose a new password is on its way to ${data.email}.`);
    else setLink({ url: data.url, expiresAt: data.expires_at });
  }

  async function end(): Promise<void> {
    if (endSessions === null) return;
    await endSessions();
    await refreshEverything();
    showDone(`${name} is signed out everywhere.`);
  }

  const hasItems = resetPassword !== null || endSessions !== null || may('listAuditEntries');
  return {
    items: hasItems && (
      <>
        {may('listAuditEntries') && (
          <Menu.Item
            leftSection={<IconActivity size={16} />}
            onClick={() =>
              void navigate({ to: '/$noun', params: { noun: 'audit-log' }, search: { only: `actor_id:${id}` } })
            }
          >
            Activity
          </Menu.Item>
        )}
        {resetPassword && (
          <Menu.Item leftSection={<IconKey size={16} />} onClick={() => setDialog('reset')}>
            Password reset link…
          </Menu.Item>
        )}
        {endSessions && (
          <Menu.Item leftSection={<IconLogout2 size={16} />} onClick={() => setDialog('sessions')}>
            End all sessions…
          </Menu.Item>
        )}
      </>
    ),
    dialogs: (
      <>
        <ConfirmDialog
          isOpen={dialog === 'reset'}
          onClose={close}
          isDangerous={false}
          title={`Create a password reset link for ${name}?`}
          confirmLabel="Create link"
          onConfirm={reset}
        >
          {`${name} can use it once, within one hour, to choose a new password. It is mailed to ${email}. If no mail server is set up, it is shown to you. Earlier links stop working.`}
        </ConfirmDialog>
        <ConfirmDialog
          isOpen={dialog === 'sessions'}
          onClose={close}
          title={`End all sessions of ${name}?`}
          confirmLabel="End all sessions"
          onConfirm={end}
        >
          They are signed out of all browsers and apps, and their personal access tokens stop working.
        </ConfirmDialog>
        {link && (
          <LinkDialog
            title={`Password reset link for ${name}`}
            email={email}
            url={link.url}
            expiresAt={link.expiresAt}
            onClose={() => setLink(null)}
          />
        )}
      </>
    ),
  };
}
