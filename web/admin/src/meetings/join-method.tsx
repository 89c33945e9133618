import { Text, Tooltip } from '@mantine/core';
import type { EndpointAnswer } from '@foyer/sdk';
import { Link } from '@tanstack/react-router';
import type { EndpointName } from '@foyer/contract';
import type { ReactNode } from 'react';
import type { Row } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { UserRow } from '../nouns/rows.ts';

type Participant = EndpointAnswer<'listMeetingParticipants'>['data'][number];

/** The relationships that `JoinMethod` needs and the caller may read. */
export function joinMethodIncludes(may: (name: EndpointName) => boolean): { readonly include?: string } {
  const names = [...(may('listRoomTokens') ? ['room_token'] : []), ...(may('readUser') ? ['user'] : [])];
  return names.length === 0 ? {} : { include: names.join(',') };
}

/** How a participant joined, if known. */
export function JoinMethod({ participant }: { readonly participant: Participant }) {
  const { by_door: byDoor, room_id: roomId, room_token_id: tokenId, user_id: userId } = participant;
  if (!byDoor)
    return <Faint hint="The provider reported them; they didn’t join through this platform.">directly</Faint>;
  if (tokenId === null && userId !== null) {
    return (
      <>
        Signed in as <SignedInUser participant={participant} userId={userId} />
      </>
    );
  }
  if (tokenId === null) {
    return <Faint hint="With the room address, an access code, or from this console.">without a token</Faint>;
  }
  const token = included(participant, 'room_token');
  const words = typeof token?.['name'] === 'string' ? `Token “${token['name']}”` : 'Token without a name';
  return (
    <div>
      {token === null ? (
        'A token'
      ) : (
        <Link
          to="/$noun/$id"
          params={{ noun: 'rooms', id: roomId }}
          search={{ tab: 'tokens' }}
          className="quiet-link"
          style={touchTarget}
        >
          {words}
        </Link>
      )}
      {userId !== null && (
        <Text component="div" fz="xs" c="dimmed">
          signed in as <SignedInUser participant={participant} userId={userId} />
        </Text>
      )}
    </div>
  );
}

/** Links are large enough for touch when two are stacked. */
const touchTarget = { display: 'inline-block', minHeight: 24 };

function Faint({ hint, children }: { readonly hint: string; readonly children: ReactNode }) {
  return (
    <Tooltip label={hint} multiline w={260}>
      <Text component="span" inherit c="dimmed" tabIndex={0}>
        {children}
      </Text>
    </Tooltip>
  );
}

function included(participant: Participant, name: 'room_token' | 'user'): Row | null {
  return (participant as unknown as Record<string, { data?: Row | null } | undefined>)[name]?.data ?? null;
}

function SignedInUser({ participant, userId }: { readonly participant: Participant; readonly userId: string }) {
  const may = useMay();
  const user = included(participant, 'user');
  if (!user || !may('readUser')) return 'a user';
  return (
    <Link to="/$noun/$id" params={{ noun: 'users', id: userId }} className="quiet-link" style={touchTarget}>
      {nouns.users.titleOf(user as UserRow)}
    </Link>
  );
}
