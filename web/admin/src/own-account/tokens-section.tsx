import { Button, Text } from '@mantine/core';
import type { ListItem } from '@foyer/sdk';
import { IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ScopeList } from '../oauth-clients/scope-list.tsx';
import { formatDay } from '../../../kit/format/instants.ts';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { FailureNotice, LoadingNotice } from '../../../kit/display/notices/notices.tsx';
import { SecretDialog } from '../../../kit/dialog/secret-dialog.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { useNow } from '../../../kit/display/use-now.ts';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { Section } from './section.tsx';
import { TokenDrawer } from './token-drawer.tsx';

type PersonalToken = ListItem<'listPersonalAccessTokens'>;

export function TokensSection() {
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<{ name: string; token: string } | null>(null);
  const [revoking, setRevoking] = useState<PersonalToken | null>(null);
  const result = useQuery({
    queryKey: ['listPersonalAccessTokens'],
    queryFn: ({ signal }) => client.listPersonalAccessTokens({ query: { limit: 0, count: false }, signal }),
  });
  const tokens = result.data?.data ?? [];

  async function revoke(token: PersonalToken): Promise<void> {
    await client.deletePersonalAccessToken({ params: { token_id: token.id } });
    await refreshEverything();
    showDone(`${token.name} has been revoked.`);
  }

  return (
    <Section
      title="Personal access tokens"
      summary="For your own programs. Each token acts on your behalf within its scopes."
      foot={<Button onClick={() => setCreating(true)}>New token…</Button>}
    >
      {result.error ? (
        <FailureNotice error={result.error} onRetry={() => void result.refetch()} />
      ) : !result.data ? (
        <LoadingNotice />
      ) : tokens.length === 0 ? (
        <div className="panel-body">
          <Text c="dimmed">You have no personal access tokens.</Text>
        </div>
      ) : (
        <ul className="items">
          {tokens.map((token) => (
            <TokenItem key={token.id} token={token} onRevoke={() => setRevoking(token)} />
          ))}
        </ul>
      )}
      <TokenDrawer
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        onCreated={(name, token) => {
          setCreating(false);
          setCreated({ name, token });
        }}
      />
      {created && (
        <SecretDialog
          title={`${created.name} has been created`}
          label="Token"
          value={created.token}
          onClose={() => setCreated(null)}
        >
          <Text c="dimmed">
            Programs send it as <code>Authorization: Bearer …</code>
          </Text>
        </SecretDialog>
      )}
      <ConfirmDialog
        isOpen={revoking !== null}
        onClose={() => setRevoking(null)}
        title={revoking ? `Revoke “${revoking.name}”?` : ''}
        confirmLabel="Revoke token"
        onConfirm={async () => {
          if (revoking) await revoke(revoking);
        }}
      >
        Programs that use it lose access with their next request.
      </ConfirmDialog>
    </Section>
  );
}

function TokenItem({ token, onRevoke }: { readonly token: PersonalToken; readonly onRevoke: () => void }) {
  const isExpired = Date.parse(token.expires_at) <= useNow();
  return (
    <li className="item">
      <IconKey size={22} stroke={1.5} aria-hidden />
      <div className="item-text">
        <Text fw={560}>{token.name}</Text>
        <Text fz="sm" c="dimmed" component="div" mb={6}>
          {token.last_used_at === null ? (
            'never used'
          ) : (
            <>
              last used <RelativeTime instant={token.last_used_at} />
            </>
          )}{' '}
          ·{' '}
          <span {...(isExpired ? { style: { color: 'var(--mantine-color-error)' } } : {})}>
            {isExpired ? 'expired on' : 'expires on'} {formatDay(token.expires_at)}
          </span>
        </Text>
        <ScopeList scopes={token.scopes} />
      </div>
      <Button variant="default" size="xs" onClick={onRevoke} aria-label={`Revoke ${token.name}`}>
        Revoke
      </Button>
    </li>
  );
}
