import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCreation } from './actions/use-creation.tsx';
import { ForbiddenScreen, MissingScreen } from '../../../kit/display/notices/missing-screen.tsx';
import { PageHeader } from '../../../kit/display/page-header.tsx';
import { ResourceList } from '../../../kit/list/resource-list.tsx';
import type { Noun } from '../../../kit/noun/noun.ts';
import { nounAt } from '../nouns/nouns.ts';
import { PoolsOverview } from '../providers/pools-overview.tsx';
import { useMay } from '../../../kit/noun/app.tsx';
import { cellsOf } from './cells.tsx';

export function ListScreen() {
  const { noun: path } = useParams({ from: '/$noun' });
  const noun = nounAt(path);
  const may = useMay();
  if (noun === null) return <MissingScreen />;
  if (!may(noun.list)) return <ForbiddenScreen needs={[noun.list]} />;
  return <NounList key={path} noun={noun} />;
}

function NounList({ noun }: { readonly noun: Noun }) {
  const state = useSearch({ from: '/$noun' });
  const navigate = useNavigate();
  const creation = useCreation(noun);
  const action = creation.isAllowed && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => creation.open()}>
      New {noun.singular}
    </Button>
  );
  return (
    <>
      <PageHeader title={noun.plural} summary={noun.summary} actions={action} />
      {noun.path === 'service-providers' && <PoolsOverview />}
      <ResourceList
        noun={noun}
        cells={cellsOf(noun)}
        state={state}
        onStateChange={(search) => void navigate({ to: '/$noun', params: { noun: noun.path }, search, replace: true })}
        emptyAction={action}
      />
      {creation.drawer}
    </>
  );
}
