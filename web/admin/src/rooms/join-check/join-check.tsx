import { Alert, Anchor, Button, Group, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks';
import { roomRoles } from '@foyer/contract/resources/rooms/room.ts';
import { IconInfoCircle, IconStethoscope } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { searchQuery } from '../../../../kit/list/search.ts';
import { wordOf } from '../../../../kit/format/label.ts';
import { ReferencePicker } from '../../../../kit/form/fields/reference-picker.tsx';
import { RefusalAlert } from '../../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../../kit/display/page-header.tsx';
import { client } from '../../../../kit/api/client.ts';
import { SelectOnEnter } from '../../../../kit/form/select-on-enter.tsx';
import { useMay } from '../../../../kit/noun/app.tsx';
import { type EntryCheck, JoinFindings } from './join-findings.tsx';
import { readPastedLink } from './pasted-link.ts';

type CheckMode = 'token' | 'pasted' | 'role' | 'nothing';

/** Tests whether a person with a link, a code or neither could join, and shows each reason why not. */
export function JoinCheck({ roomId }: { readonly roomId: string }) {
  const may = useMay();
  const [mode, setMode] = useState<CheckMode>('pasted');
  const [pasted, setPasted] = useState('');
  const [token, setToken] = useState<string | null>(null);
  const [role, setRole] = useState<string>('attendee');
  const [code, setCode] = useState('');
  const [userId, setUserId] = useState<string | null>(null);
  const isNarrow = useMediaQuery('(max-width: 48em)', window.matchMedia('(max-width: 48em)').matches);
  const link = readPastedLink(pasted);
  const isOtherRoom = mode === 'pasted' && link.roomId !== null && link.roomId !== roomId;
  const check = useMutation({
    mutationFn: async (): Promise<EntryCheck> => {
      const checkedToken = mode === 'token' ? token : mode === 'pasted' ? link.token : null;
      const checkedCode = code.trim() === '' ? link.code : code.trim();
      const { data } = await client.checkRoomEntry({
        params: { room_id: roomId },
        body: {
          ...(checkedToken ? { token: checkedToken } : {}),
          ...(checkedCode ? { access_code: checkedCode } : {}),
          ...(mode === 'role' ? { role: role as 'attendee' } : {}),
          ...(userId === null ? {} : { user_id: userId }),
        },
      });
      return data;
    },
  });
  const clearResult = () => check.reset();

  return (
    <Stack gap="lg">
      <Panel title="Join check">
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            check.mutate();
          }}
        >
          <Stack gap="md">
            <Text c="dimmed">Test what a participant would see. This doesn’t join the meeting or use up the link.</Text>
            <SegmentedControl
              aria-label="How they join"
              fullWidth
              {...(isNarrow ? { orientation: 'vertical' as const } : {})}
              value={mode}
              onChange={(next) => {
                setMode(next as CheckMode);
                clearResult();
              }}
              data={[
                { value: 'pasted', label: 'A link' },
                ...(may('listRoomTokens') ? [{ value: 'token', label: 'A token of the room' }] : []),
                { value: 'role', label: 'A role without a token' },
                { value: 'nothing', label: 'Nothing' },
              ]}
            />
            {mode === 'pasted' && (
              <TextInput
                label="Link or token"
                description="The whole address, or the part after token=."
                placeholder="https://…/rooms/…?token=…"
                autoComplete="off"
                spellCheck={false}
                value={pasted}
                onChange={(event) => {
                  setPasted(event.currentTarget.value);
                  clearResult();
                }}
              />
            )}
            {mode === 'token' && (
              <TokenPicker
                roomId={roomId}
                value={token}
                onChange={(next) => {
                  setToken(next);
                  clearResult();
                }}
              />
            )}
            {mode === 'role' && (
              <Select
                label="Role"
                description="As an administrator or an API client that joins without a token."
                allowDeselect={false}
                value={role}
                data={roomRoles.map((name) => ({ value: name, label: wordOf(name) }))}
                onChange={(next) => {
                  setRole(next ?? 'attendee');
                  clearResult();
                }}
              />
            )}
            <Group grow align="flex-start" preventGrowOverflow={false}>
              <TextInput
                label="Access code"
                description="If they entered one."
                autoComplete="off"
                value={code}
                onChange={(event) => {
                  setCode(event.currentTarget.value);
                  clearResult();
                }}
              />
              {may('listUsers') && (
                <ReferencePicker
                  name="user_id"
                  label="Signed in as"
                  description="Only matters for tokens that are bound to a user."
                  error={null}
                  required={false}
                  prefix="user"
                  value={userId}
                  onChange={(next) => {
                    setUserId(next);
                    clearResult();
                  }}
                />
              )}
            </Group>
            {isOtherRoom && (
              <Alert color="yellow" variant="light" icon={<IconInfoCircle size={18} />}>
                This link is for another room.{' '}
                <Anchor
                  renderRoot={(props) => (
                    <Link
                      to="/$noun/$id"
                      params={{ noun: 'rooms', id: link.roomId ?? '' }}
                      search={{ tab: 'join-check' }}
                      {...props}
                    />
                  )}
                  inherit
                  underline="always"
                >
                  Check it there
                </Anchor>
              </Alert>
            )}
            <RefusalAlert error={check.error} />
            <Group>
              <Button
                type="submit"
                loading={check.isPending}
                leftSection={<IconStethoscope size={16} />}
                disabled={(mode === 'pasted' && pasted.trim() === '') || (mode === 'token' && token === null)}
              >
                Test
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
      {check.data && <JoinFindings roomId={roomId} check={check.data} />}
    </Stack>
  );
}

/** Selects a token by name; unnamed tokens show role and prefix. */
function TokenPicker(props: {
  readonly roomId: string;
  readonly value: string | null;
  readonly onChange: (token: string | null) => void;
}) {
  const [words, setWords] = useState('');
  const [query] = useDebouncedValue(words, 200);
  const result = useQuery({
    queryKey: ['listRoomTokens', props.roomId, 'pick', query],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      client.listRoomTokens({
        params: { room_id: props.roomId },
        query: {
          limit: 20,
          count: false,
          orderBy: 'created_at',
          sortedBy: 'desc',
          ...searchQuery(searchTextOf(query), {}),
        },
        signal,
      }),
  });
  const tokens = result.data?.data ?? [];
  return (
    <SelectOnEnter>
      <Select
        label="Token"
        placeholder="Choose a token"
        searchable
        clearable
        value={props.value}
        data={tokens.map(({ token, name, email, role }) => ({
          value: token,
          label: `${name ?? email ?? 'Unnamed'} · ${wordOf(role)} · ${token.slice(0, 10)}…`,
        }))}
        filter={({ options }) => options}
        searchValue={words}
        onSearchChange={setWords}
        nothingFoundMessage={result.isFetching ? 'Searching…' : 'No tokens found'}
        onChange={props.onChange}
      />
    </SelectOnEnter>
  );
}

/** After a selection, the search field contains the option's label, which is not a search text. */
function searchTextOf(words: string): string {
  return words.includes(' · ') ? '' : words;
}
