import { Badge, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import type { ListItem } from '@foyer/sdk';
import { IconDeviceDesktop, IconDeviceMobile, IconPlugConnected } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatInstant } from '../../../kit/format/instants.ts';
import { listOf, lowered, phraseOf } from '../../../kit/format/label.ts';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { FailureNotice, LoadingNotice } from '../../../kit/display/notices/notices.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { deviceOf } from './device-of.ts';
import { Section } from './section.tsx';

type Login = ListItem<'listOauthTokens'>;

/** The caller's sessions and authorized programs, the current session first. */
export function SessionsSection() {
  const [ending, setEnding] = useState<Login | null>(null);
  const [isEndingAll, setEndingAll] = useState(false);
  const [keepsTokens, setKeepsTokens] = useState(true);
  const result = useQuery({
    queryKey: ['listOauthTokens'],
    queryFn: ({ signal }) => client.listOauthTokens({ query: { limit: 0, count: false }, signal }),
  });
  const allTokens = result.data?.data ?? [];
  const logins = allTokens.filter(({ kind }) => kind !== 'personal').toSorted(compareByUse);
  const personalCount = allTokens.length - logins.length;
  const otherCount = logins.filter(({ current }) => !current).length;

  async function end(login: Login): Promise<void> {
    await client.deleteOauthToken({ params: { token_id: login.id } });
    await refreshEverything();
    showDone('The session has ended.');
  }
  async function endAll(): Promise<void> {
    const areTokensKept = keepsTokens && personalCount > 0;
    if (areTokensKept) {
      for (const login of logins.filter(({ current }) => !current)) {
        await client.deleteOauthToken({ params: { token_id: login.id } });
      }
    } else await client.deleteOtherOauthTokens();
    await refreshEverything();
    showDone(
      areTokensKept
        ? 'All other sessions have ended. This session and your access tokens stay valid.'
        : 'All other sessions and tokens have ended. This session stays valid.',
    );
  }

  return (
    <Section
      title="Sessions"
      summary="Where you are signed in, and the programs that have access. If you don’t recognize a session, end it and change your password."
      foot={
        otherCount + personalCount > 0 && (
          <Button variant="default" onClick={() => setEndingAll(true)}>
            End everything else…
          </Button>
        )
      }
    >
      {result.error ? (
        <FailureNotice error={result.error} onRetry={() => void result.refetch()} />
      ) : result.data ? (
        <ul className="items">
          {logins.map((login) => (
            <LoginItem key={login.id} login={login} onEnd={() => setEnding(login)} />
          ))}
        </ul>
      ) : (
        <LoadingNotice />
      )}
      <ConfirmDialog
        isOpen={ending !== null}
        onClose={() => setEnding(null)}
        title={ending ? `End the session of ${nameOf(ending)}?` : ''}
        confirmLabel="End session"
        onConfirm={async () => {
          if (ending) await end(ending);
        }}
      >
        That device has to sign in again.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={isEndingAll}
        onClose={() => setEndingAll(false)}
        title="End everything but this session?"
        confirmLabel="End everything else"
        onConfirm={endAll}
      >
        <Stack gap="sm">
          <Text c="dimmed">{describeEnd(otherCount, keepsTokens ? 0 : personalCount)}</Text>
          {personalCount > 0 && (
            <Checkbox
              label="Keep personal access tokens"
              description={
                personalCount === 1
                  ? 'A program that uses your token keeps its access.'
                  : `Programs that use your ${personalCount} tokens keep their access.`
              }
              checked={keepsTokens}
              onChange={(event) => setKeepsTokens(event.currentTarget.checked)}
            />
          )}
        </Stack>
      </ConfirmDialog>
    </Section>
  );
}

function LoginItem({ login, onEnd }: { readonly login: Login; readonly onEnd: () => void }) {
  const Icon = isProgram(login)
    ? IconPlugConnected
    : deviceOf(login.user_agent).isPhone
      ? IconDeviceMobile
      : IconDeviceDesktop;
  return (
    <li className="item">
      <Icon size={22} stroke={1.5} aria-hidden />
      <div className="item-text">
        <Group gap={8}>
          <Text fw={560} title={login.user_agent ?? undefined}>
            {nameOf(login)}
          </Text>
          {isProgram(login) && (
            <Badge variant="default" tt="none" fw={560}>
              App
            </Badge>
          )}
          {login.current && (
            <Badge variant="light" color="pine" tt="none" fw={560}>
              This session
            </Badge>
          )}
        </Group>
        <Text fz="sm" c="dimmed" component="div">
          {login.address !== null && <>{login.address} · </>}
          {login.last_used_at === null ? (
            'not used yet'
          ) : (
            <>
              last used <RelativeTime instant={login.last_used_at} />
            </>
          )}{' '}
          · since {formatInstant(login.created_at)}
        </Text>
        {isProgram(login) && (
          <Text fz="sm" c="dimmed">
            Can {describeScopes(login.scopes)}.
          </Text>
        )}
      </div>
      {!login.current && (
        <Button variant="default" size="xs" onClick={onEnd} aria-label={`End the session of ${nameOf(login)}`}>
          End
        </Button>
      )}
    </li>
  );
}

/** The device of a session, or the client’s name for an authorized program. */
function nameOf(login: Login): string {
  return isProgram(login) ? login.client_name : deviceOf(login.user_agent).name;
}

/** "do everything that you can", "see customers and rooms, and change rooms". */
function describeScopes(scopes: readonly string[]): string {
  if (scopes.includes('*')) return 'do everything that you can';
  const resourcesWith = (verb: string) =>
    scopes.filter((scope) => scope.endsWith(`:${verb}`)).map((scope) => lowered(phraseOf(scope.split(':')[0] ?? '')));
  const [readable, writable] = [resourcesWith('read'), resourcesWith('write')];
  const parts = [
    ...(readable.length > 0 ? [`see ${shortList(readable)}`] : []),
    ...(writable.length > 0 ? [`change ${shortList(writable)}`] : []),
  ];
  return parts.length === 0 ? 'do nothing' : parts.join(', and ');
}

function shortList(names: readonly string[]): string {
  return listOf(names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names, 'and');
}

function isProgram({ kind }: Login): boolean {
  return kind !== 'session';
}

function compareByUse(left: Login, right: Login): number {
  if (left.current !== right.current) return left.current ? -1 : 1;
  return Date.parse(right.last_used_at ?? right.created_at) - Date.parse(left.last_used_at ?? left.created_at);
}

function describeEnd(otherCount: number, personalCount: number): string {
  const parts = [
    ...(otherCount > 0 ? [otherCount === 1 ? 'one other session' : `${otherCount} other sessions`] : []),
    ...(personalCount > 0
      ? [personalCount === 1 ? 'one personal access token' : `${personalCount} personal access tokens`]
      : []),
  ];
  if (parts.length === 0) return 'There is no other session.';
  const sentence = parts.join(' and ');
  const verb = otherCount + personalCount === 1 ? 'ends' : 'end';
  const endText = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)} ${verb} immediately.`;
  return personalCount > 0 ? `${endText} Programs that use the tokens lose access.` : endText;
}
