import { ActionIcon, Button, Checkbox, Popover, ScrollArea, Stack, Tooltip } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconColumns3 } from '@tabler/icons-react';
import type { Column } from './columns.ts';
import type { Noun } from '../noun/noun.ts';

export interface ColumnChoice {
  readonly shown: readonly Column[];
  readonly names: readonly string[];
  readonly choose: (names: readonly string[]) => void;
  readonly reset: () => void;
}

/** The columns that a table shows; stored in this browser. */
export function useShownColumns(noun: Noun, all: readonly Column[]): ColumnChoice {
  const [names, setNames, reset] = useLocalStorage<readonly string[]>({
    key: `foyer.columns.${noun.path}`,
    defaultValue: noun.columns,
    getInitialValueInEffect: false,
  });
  const first = noun.columns[0];
  const shownNames = first === undefined || names.includes(first) ? names : [first, ...names];
  return {
    shown: shownNames.flatMap((name) => all.find((column) => column.name === name) ?? []),
    names: shownNames,
    choose: setNames,
    reset,
  };
}

export function ColumnPicker(props: {
  readonly noun: Noun;
  readonly columns: readonly Column[];
  readonly choice: ColumnChoice;
}) {
  const { columns, choice, noun } = props;
  const first = noun.columns[0];
  return (
    <Popover position="bottom-end" shadow="md" trapFocus>
      <Popover.Target>
        <Tooltip label="Columns">
          <ActionIcon variant="default" size={36} aria-label="Choose columns">
            <IconColumns3 size={17} stroke={1.7} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown p="sm">
        <ScrollArea.Autosize mah={360} type="auto" offsetScrollbars>
          <Stack gap={8}>
            {columns.map((column) => (
              <Checkbox
                key={column.name}
                size="xs"
                label={column.label}
                disabled={column.name === first}
                checked={choice.names.includes(column.name)}
                onChange={(event) =>
                  choice.choose(
                    event.currentTarget.checked
                      ? [...choice.names, column.name]
                      : choice.names.filter((name) => name !== column.name),
                  )
                }
              />
            ))}
          </Stack>
        </ScrollArea.Autosize>
        <Button variant="subtle" size="compact-xs" mt="sm" onClick={choice.reset}>
          Reset
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}
