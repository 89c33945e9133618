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
  const [sparesTokens, setSparesTokens] = useState(true);
  const result = useQuery({
    queryKey: ['listOauthTokens'],
    queryFn: ({ signal }) => client.listOauthTokens({ query: { limit: 0, count: false }, signal }),
  });
  const all = result.data?.data ?? [];
  const logins = all.filter(({ kind }) => kind !== 'personal').toSorted(byUse);
  const personal = all.length - logins.length;
  const others = logins.filter(({ current }) => !current).length;

  async function end(login: Login): Promise<void> {
    await client.deleteOauthToken({ params: { token_id: login.id } });
    await refreshEverything();
    showDone('The session has ended.');
  }
  async function endAll(): Promise<void> {
    const isSpared = sparesTokens && personal > 0;
    if (isSpared) {
      for (const login of logins.filter(({ current }) => !current)) {
        await client.deleteOauthToken({ params: { token_id: login.id } });
      }
    } else await client.deleteOtherOauthTokens();
    await refreshEverything();
    showDone(
      isSpared
        ? 'All other sessions have ended. This session and your access tokens stay valid.'
        : 'All other sessions and tokens have ended. This session stays valid.',
    );
  }

  return (
    <Section
      title="Sessions"
      summary="Where you are signed in, and the programs that have access. End sessions that you don’t recognize, and change your password."
      foot={
        others + personal > 0 && (
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
          <Text c="dimmed">{endOf(others, sparesTokens ? 0 : personal)}</Text>
          {personal > 0 && (
            <Checkbox
              label="Keep personal access tokens"
              description={
                personal === 1
                  ? 'A program that uses your token keeps its access.'
                  : `Programs that use your ${personal} tokens keep their access.`
              }
              checked={sparesTokens}
              onChange={(event) => setSparesTokens(event.currentTarget.checked)}
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
            May {mayDo(login.scopes)}.
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

/** Sessions are browsers or programs that signed in; other grants belong to a named client. */
function nameOf(login: Login): string {
  return isProgram(login) ? login.client_name : deviceOf(login.user_agent).name;
}

/** "do everything that you may", "see customers and rooms, and change rooms". */
function mayDo(scopes: readonly string[]): string {
  if (scopes.includes('*')) return 'do everything that you may';
  const of = (verb: string) =>
    scopes.filter((scope) => scope.endsWith(`:${verb}`)).map((scope) => lowered(phraseOf(scope.split(':')[0] ?? '')));
  const [readable, writable] = [of('read'), of('write')];
  const parts = [
    ...(readable.length > 0 ? [`see ${shortList(readable)}`] : []),
    ...(writable.length > 0 ? [`change ${shortList(writable)}`] : []),
  ];
  return parts.length === 0 ? 'do nothing by itself' : parts.join(', and ');
}

function shortList(names: readonly string[]): string {
  return listOf(names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names, 'and');
}

function isProgram({ kind }: Login): boolean {
  return kind !== 'session';
}

function byUse(left: Login, right: Login): number {
  if (left.current !== right.current) return left.current ? -1 : 1;
  return Date.parse(right.last_used_at ?? right.created_at) - Date.parse(left.last_used_at ?? left.created_at);
}

function endOf(others: number, personal: number): string {
  const parts = [
    ...(others > 0 ? [others === 1 ? 'one other session' : `${others} other sessions`] : []),
    ...(personal > 0 ? [personal === 1 ? 'one personal access token' : `${personal} personal access tokens`] : []),
  ];
  if (parts.length === 0) return 'There is no other session.';
  const sentence = parts.join(' and ');
  const verb = others + personal === 1 ? 'ends' : 'end';
  const first = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)} ${verb} at once.`;
  return personal > 0 ? `${first} Programs that use the tokens lose access.` : first;
}
