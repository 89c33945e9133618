import { Combobox, Loader, Modal, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { searchQuery } from '../../../kit/list/search.ts';
import type { Noun, Row } from '../../../kit/noun/noun.ts';
import { nounIndex } from '../nouns/nouns.ts';
import { callEndpoint } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';

export function SearchDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Modal.Root opened={isOpen} onClose={onClose} size="lg" yOffset="12vh">
      <Modal.Overlay />
      <Modal.Content aria-label="Search everything">
        <Modal.Body p={0}>{isOpen && <SearchBox onDone={onClose} />}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function SearchBox({ onDone }: { readonly onDone: () => void }) {
  const [words, setWords] = useState('');
  const [query] = useDebouncedValue(words.trim(), 180);
  const { hits, isBusy } = useHits(query);
  const navigate = useNavigate();
  const combobox = useCombobox({ opened: true });
  const { selectFirstOption } = combobox;
  const screens = useScreens(query);
  const firstHit = screens[0]?.path ?? hits[0]?.row.id;
  useEffect(() => {
    if (firstHit !== undefined) selectFirstOption();
  }, [firstHit, selectFirstOption]);

  function openOption(value: string): void {
    const [path = '', id = ''] = value.split('/');
    onDone();
    if (path === 'screen') void navigate({ to: `/${id}` });
    else void navigate({ to: '/$noun/$id', params: { noun: path, id } });
  }

  const groups = searchedNouns.flatMap((noun) => {
    const hitsOfNoun = hits.filter((hit) => hit.noun === noun);
    return hitsOfNoun.length === 0 ? [] : [{ noun, hits: hitsOfNoun }];
  });
  return (
    <Combobox store={combobox} onOptionSubmit={openOption}>
      <Combobox.EventsTarget>
        <TextInput
          data-autofocus
          size="lg"
          variant="unstyled"
          px="md"
          leftSection={isBusy ? <Loader size={16} /> : <IconSearch size={18} />}
          leftSectionWidth={48}
          placeholder="Name, email or tag"
          aria-label="Search everything"
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
          // The combobox handles Escape and does not pass it on to the dialog.
          onKeyDown={(event) => {
            if (event.key === 'Escape') onDone();
          }}
        />
      </Combobox.EventsTarget>
      <Combobox.Options
        p="xs"
        mah="55vh"
        aria-label="Results"
        style={{ borderTop: '1px solid var(--foyer-line)', overflowY: 'auto' }}
      >
        {screens.length > 0 && (
          <Combobox.Group label="Go to">
            {screens.map(({ path, label }) => (
              <Combobox.Option key={path} value={`screen/${path}`}>
                {label}
              </Combobox.Option>
            ))}
          </Combobox.Group>
        )}
        {groups.map(({ noun, hits: hitsOfNoun }) => (
          <Combobox.Group key={noun.path} label={noun.plural}>
            {hitsOfNoun.map(({ row }) => (
              <Combobox.Option key={row.id} value={`${noun.path}/${row.id}`}>
                <div className="hit">
                  <Text component="span" truncate title={noun.titleOf(row)}>
                    {noun.titleOf(row)}
                  </Text>
                  <Text component="span" c="dimmed" fz="sm" truncate>
                    {noun.detailOf(row)}
                  </Text>
                </div>
              </Combobox.Option>
            ))}
          </Combobox.Group>
        ))}
        {hits.length === 0 && screens.length === 0 && (
          <Combobox.Empty py="lg">
            {query === '' ? 'Type to find customers, rooms, subscriptions…' : isBusy ? 'Searching…' : 'Nothing found'}
          </Combobox.Empty>
        )}
      </Combobox.Options>
    </Combobox>
  );
}

/** Screens whose names start with the search text. */
function useScreens(words: string): readonly { readonly path: string; readonly label: string }[] {
  const may = useMay();
  const query = words.toLowerCase();
  if (query.length < 2) return [];
  return [
    ...(may('readUsageReport') || may('readSubscriptionsReport') ? [{ path: 'reports', label: 'Reports' }] : []),
    ...nounIndex.all.filter((noun) => may(noun.list)).map((noun) => ({ path: noun.path, label: noun.plural })),
    ...(may('readSettings') ? [{ path: 'settings', label: 'Settings' }] : []),
    { path: 'account', label: 'Your account' },
  ].filter(({ label }) => label.toLowerCase().startsWith(query));
}

const searchedNouns = nounIndex.all.filter(({ isLog, isNameless }) => !isLog && !isNameless);

interface Hit {
  readonly noun: Noun;
  readonly row: Row;
}

function useHits(words: string): { hits: readonly Hit[]; isBusy: boolean } {
  const may = useMay();
  return useQueries({
    queries: searchedNouns
      .filter((noun) => may(noun.list))
      .map((noun) => ({
        queryKey: ['quick-search', noun.list, words],
        enabled: words !== '',
        queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Hit[]> => {
          const query = { ...searchQuery(words, {}), limit: 4, count: false };
          const { data } = (await callEndpoint(noun.list, { query, signal })) as { data: Row[] };
          return data.map((row) => ({ noun, row }));
        },
      })),
    combine: (results) => ({
      hits: results.flatMap(({ data }) => data ?? []),
      isBusy: results.some(({ isFetching }) => isFetching),
    }),
  });
}
