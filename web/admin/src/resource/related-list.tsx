import { Button, Group, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { FormValues } from '../../../kit/form/form-values.ts';
import type { Constraints } from '../../../kit/list/search.ts';
import { useCreation } from './actions/use-creation.tsx';
import type { ListState } from '../../../kit/list/list-state.ts';
import { ResourceList } from '../../../kit/list/resource-list.tsx';
import type { Noun } from '../../../kit/noun/noun.ts';
import { cellsOf } from './cells.tsx';

interface Props {
  readonly noun: Noun;
  /** Filters that the list always has, such as the account whose rooms it shows. */
  readonly within?: Constraints;
  /** Path parameters of a nested list. */
  readonly params?: Readonly<Record<string, string>>;
  /** Preset values of a new resource; null if none can be created here. */
  readonly presets: FormValues | null;
  /** Filters for the options of reference fields in the creation form, by field. */
  readonly choiceFilters?: Readonly<Record<string, Constraints>>;
}

/** Lists resources that belong to another one, such as the rooms of an account. */
export function RelatedList({ noun, within = {}, params = {}, presets, choiceFilters }: Props) {
  const [state, setState] = useState<ListState>({});
  const creation = useCreation(noun, { presets: presets ?? {}, ...(choiceFilters ? { choiceFilters } : {}) });
  const action = presets !== null && creation.isAllowed && (
    <Button leftSection={<IconPlus size={16} />} onClick={creation.open}>
      New {noun.singular}
    </Button>
  );
  return (
    <Stack>
      {action && <Group justify="flex-end">{action}</Group>}
      <ResourceList
        noun={noun}
        cells={cellsOf(noun)}
        state={state}
        onStateChange={setState}
        within={within}
        params={params}
      />
      {creation.drawer}
    </Stack>
  );
}
