import type { EndpointAnswer } from '@foyer/sdk';
import type { ReactNode } from 'react';
import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formFieldsOf } from '../fields/form-fields.ts';
import { bodyOf } from '../form/use-creation.tsx';
import { CopyAction, Copyable } from '../layout/copyable.tsx';
import { StatusBadge } from '../layout/status.tsx';
import { client } from '../platform.ts';
import { Expiry, LastUse } from './expiry.tsx';
import { KeyTable } from './key-table.tsx';

/** The links that let people in. */
export function RoomTokens({ roomId }: { readonly roomId: string }) {
  const params = { room_id: roomId };
  const found = useQuery({
    queryKey: ['listRoomTokens', roomId],
    queryFn: ({ signal }) => client.listRoomTokens({ params, query: { limit: 0 }, signal }),
  });
  return (
    <KeyTable
      title="Tokens"
      singular="token"
      emptyText="A token is a personal link into the room, with a role."
      query={found}
      head={['Link', 'Role', 'Expires', 'Last used']}
      nameOf={(token) => token.name ?? `${token.role} token`}
      cells={cellsOf}
      creationFields={formFieldsOf(bodyOf('createRoomToken'))}
      changeFields={formFieldsOf(bodyOf('updateRoomToken'))}
      defaults={{ role: 'attendee' }}
      hints={{ name: 'Whom or what it is for.', expires_at: 'It never expires when left empty.' }}
      create={(body) => client.createRoomToken({ params, body: body as { role: 'guest' } })}
      change={(token_id, body) => client.updateRoomToken({ params: { ...params, token_id }, body })}
      remove={(token_id) => client.deleteRoomToken({ params: { ...params, token_id } })}
      removal="Its link lets nobody in any more. Who is in the meeting stays in it."
      created={linkOf}
    />
  );
}

type Token = EndpointAnswer<'listRoomTokens'>['data'][number];

function linkOf(token: Token): ReactNode {
  return <Copyable value={token.url} label="link" />;
}

function cellsOf(token: Token): readonly ReactNode[] {
  return [
    <Group key="link" gap={4} wrap="nowrap">
      <div style={{ minWidth: 0 }}>
        <Text fw={540} truncate>
          {token.name ?? 'Without a name'}
        </Text>
        <Text fz="xs" c="dimmed" ff="monospace" truncate maw={240}>
          {token.token}
        </Text>
      </div>
      <CopyAction value={token.url} label="link" />
    </Group>,
    <StatusBadge key="role" value={token.role} />,
    <Expiry key="expires" at={token.expires_at} />,
    <LastUse key="last" at={token.last_usage} />,
  ];
}
