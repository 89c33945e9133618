import { Text } from '@mantine/core';
import type { EndpointAnswer } from '@foyer/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../platform.ts';
import { useMay } from '../session/caller.tsx';

type Participant = EndpointAnswer<'listMeetingParticipants'>['data'][number];

/** Names of tokens by their ids. */
export type TokenNames = ReadonlyMap<string, string>;

/** More ids than these make an address too long. */
const idsAtOnce = 100;

/** The tokens by which people came into a room, by name; nothing for whoever may not read tokens. */
export function useTokenNames(people: readonly Participant[]): TokenNames {
  const may = useMay();
  const roomId = people[0]?.room_id ?? '';
  const ids = [...new Set(people.flatMap(({ room_token_id: id }) => id ?? []))].sort();
  const found = useQuery({
    queryKey: ['listRoomTokens', roomId, 'names', ids],
    enabled: ids.length > 0 && may('listRoomTokens'),
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const parts = Array.from({ length: Math.ceil(ids.length / idsAtOnce) }, (_, at) =>
        ids.slice(at * idsAtOnce, (at + 1) * idsAtOnce),
      );
      const answers = await Promise.all(
        parts.map((part) =>
          client.listRoomTokens({
            params: { room_id: roomId },
            query: { search: `id:${part.join(',')}`, searchFields: 'id:in', limit: 0, filter: 'id,name,token' },
            signal,
          }),
        ),
      );
      return answers.flatMap(({ data }) => data);
    },
  });
  return new Map(found.data?.map(({ id, name, token }) => [id, name ?? `${token.slice(0, 10)}…`]));
}

/** By what somebody came in, as far as that is known. */
export function WayIn({ participant, tokens }: { readonly participant: Participant; readonly tokens: TokenNames }) {
  const { by_door: byDoor, room_id: roomId, room_token_id: tokenId } = participant;
  if (!byDoor) {
    return (
      <Text component="span" inherit c="dimmed" style={{ whiteSpace: 'normal' }}>
        past the door, on the provider
      </Text>
    );
  }
  if (tokenId === null) {
    return (
      <Text component="span" inherit c="dimmed">
        without a token
      </Text>
    );
  }
  const name = tokens.get(tokenId);
  return (
    <Link to="/$noun/$id" params={{ noun: 'rooms', id: roomId }} search={{ tab: 'tokens' }} className="quiet-link">
      {name === undefined ? 'A token' : `Token “${name}”`}
    </Link>
  );
}
