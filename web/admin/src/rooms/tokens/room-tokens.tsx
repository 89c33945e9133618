import { CloseButton, Group, Stack, Text } from '@mantine/core';
import type { EndpointAnswer } from '@foyer/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Absent, NamedReference } from '../../../../kit/display/field-value.tsx';
import { formFieldsOf } from '../../../../kit/form/form-fields.ts';
import { searchQuery } from '../../../../kit/list/search.ts';
import { bodyOf } from '../../resource/actions/use-creation.tsx';
import { CopyAction, Copyable } from '../../../../kit/display/copyable.tsx';
import { StatusBadge } from '../../../../kit/display/status.tsx';
import { useExistingPage } from '../../../../kit/list/existing-page.ts';
import { ListFooter } from '../../../../kit/list/list-footer.tsx';
import { defaultPageSize, type ListState, withFilters } from '../../../../kit/list/list-state.ts';
import { FindInput } from '../../../../kit/list/list-toolbar.tsx';
import { nouns } from '../../nouns/nouns.ts';
import { client } from '../../../../kit/api/client.ts';
import { LastUse } from './expiry.tsx';
import { CredentialTable } from './credential-table.tsx';
import { TokenBatches } from './token-batches.tsx';
import { Uses, Validity } from './validity.tsx';

/** Room tokens, single and in batches. */
export function RoomTokens({ roomId }: { readonly roomId: string }) {
  const params = { room_id: roomId };
  const [state, setState] = useState<ListState>({});
  const [batch, setBatch] = useState<{ readonly id: string; readonly name: string } | null>(null);
  const query = {
    limit: state.limit ?? defaultPageSize,
    page: state.page ?? 1,
    orderBy: 'created_at',
    sortedBy: 'desc' as const,
    ...searchQuery(state.find ?? '', batch === null ? {} : { batch_id: batch.id }),
  };
  const result = useQuery({
    queryKey: ['listRoomTokens', roomId, query],
    queryFn: ({ signal }) => client.listRoomTokens({ params, query, signal }),
    placeholderData: keepPreviousData,
  });
  useExistingPage(state, setState, result);
  const isFiltered = batch !== null || Boolean(state.find);
  const pagination = result.data?.meta.pagination;
  return (
    <Stack gap="lg">
      <CredentialTable
        title="Tokens"
        singular="token"
        emptyText="A token is a personal link to the room, with a role."
        query={result}
        head={['Link', 'Role', 'Valid', 'Uses', 'Only for', 'Last used']}
        nameOf={(token) => token.name ?? token.email ?? `${token.role} token`}
        cells={cellsOf}
        creationFields={formFieldsOf(bodyOf('createRoomToken'))}
        changeFields={formFieldsOf(bodyOf('updateRoomToken'))}
        defaults={{ role: 'attendee' }}
        hints={hints}
        create={(body) => client.createRoomToken({ params, body: body as { role: 'guest' } })}
        targetOf={(token_id) => ({ read: 'readRoomToken', params: { ...params, token_id } })}
        change={(token_id, write) => client.updateRoomToken({ params: { ...params, token_id }, ...write })}
        remove={(token_id, ifMatch) => client.deleteRoomToken({ params: { ...params, token_id }, ifMatch })}
        removalText="Its link stops working. Participants stay in running meetings."
        createdContent={linkOf}
        noMatchesText={isFiltered ? 'No token matches.' : null}
        toolbar={
          (isFiltered || (pagination?.total ?? 0) > 0) && (
            <Group px="md" py="sm" gap="xs" style={{ borderBottom: '1px solid var(--foyer-line)' }}>
              <FindInput
                label="Search tokens by name"
                value={state.find ?? ''}
                onChange={(find) => setState(withFilters(state, { find }))}
              />
              {batch !== null && (
                <Group className="chip" gap={4} wrap="nowrap">
                  <Text component="span" fz="sm" truncate>
                    Batch: {batch.name}
                  </Text>
                  <CloseButton
                    size="xs"
                    aria-label="Show tokens of all batches"
                    onClick={() => {
                      setBatch(null);
                      setState({});
                    }}
                  />
                </Group>
              )}
            </Group>
          )
        }
        footer={
          pagination &&
          (pagination.total ?? 0) > 10 && <ListFooter state={state} onStateChange={setState} pagination={pagination} />
        }
      />
      <TokenBatches
        roomId={roomId}
        onShow={(shown) => {
          setBatch(shown);
          setState({});
          window.scrollTo({ top: 0 });
        }}
      />
    </Stack>
  );
}

const hints = {
  name: 'The person or purpose of the token.',
  not_before: 'Valid from this time. If empty, immediately.',
  expires_at: 'If empty, the token never expires.',
  max_uses: 'Each join counts, including rejoins. If empty, unlimited.',
  user_id:
    'Only this user can join with the token, after signing in on the room page. If empty, anyone with the link can join.',
};

type Token = EndpointAnswer<'listRoomTokens'>['data'][number];

function labelOf({ name, email }: Token): string | null {
  return name ?? email;
}

function linkOf(token: Token): ReactNode {
  return <Copyable value={token.url} label="link" />;
}

function cellsOf(token: Token): readonly ReactNode[] {
  return [
    <Group key="link" gap={4} wrap="nowrap">
      <div style={{ minWidth: 0 }}>
        <Text fw={540} truncate maw={220} {...(labelOf(token) === null ? { c: 'dimmed' } : {})}>
          {labelOf(token) ?? 'Unnamed'}
        </Text>
        <Text fz="xs" c="dimmed" ff="monospace" truncate maw={190}>
          {token.token}
        </Text>
      </div>
      <CopyAction value={token.url} label="link" />
    </Group>,
    <StatusBadge key="role" value={token.role} />,
    <Validity key="validity" from={token.not_before} until={token.expires_at} />,
    <Uses key="uses" uses={token.uses} maxUses={token.max_uses} />,
    token.user_id === null ? (
      <Absent key="user" />
    ) : (
      <NamedReference key="user" noun={nouns.users} id={token.user_id} />
    ),
    <LastUse key="last" at={token.last_usage} />,
  ];
}
