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
  readonly within?: Constraints;
  /** Path parameters of a nested list. */
  readonly params?: Readonly<Record<string, string>>;
  /** Preset values of a new resource; null if none can be created here. */
  readonly presets: FormValues | null;
  /** Filters for the choices of the form's fields. */
  readonly narrowed?: Readonly<Record<string, Constraints>>;
}

/** The rooms of an account, the subscriptions of a customer … */
export function RelatedList({ noun, within = {}, params = {}, presets, narrowed }: Props) {
  const [state, setState] = useState<ListState>({});
  const creation = useCreation(noun, { presets: presets ?? {}, ...(narrowed ? { narrowed } : {}) });
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
