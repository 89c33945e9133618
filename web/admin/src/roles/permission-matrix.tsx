import { Alert, Box, Button, Checkbox, Group, List, Table, Text, Tooltip } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import { Panel } from '../../../kit/display/page-header.tsx';
import {
  isLocked,
  type MatrixRow,
  matrixSections,
  missingReads,
  permissionLabel,
  permissionsOf,
  readsFor,
  verbOf,
  verbs,
} from './permission-rows.ts';

interface Props {
  readonly chosen: ReadonlySet<string>;
  /** Why a permission cannot be changed; null if it can. */
  readonly lockOf: (name: PermissionName) => string | null;
  /** @param addedReads the read permissions that were selected automatically */
  readonly onChange: (chosen: ReadonlySet<string>, addedReads: readonly PermissionName[]) => void;
}

/** Permissions of a role as a matrix of resources and verbs. */
export function PermissionMatrix({ chosen, lockOf, onChange }: Props) {
  const missing = missingReads(chosen);

  function set(names: readonly PermissionName[], isOn: boolean): void {
    const free = names.filter((name) => lockOf(name) === null);
    if (!isOn) {
      onChange(new Set([...chosen].filter((name) => !free.some((other) => other === name))), []);
      return;
    }
    const next = new Set([...chosen, ...free]);
    const reads = readsFor(free).filter((name) => !next.has(name) && lockOf(name) === null);
    onChange(new Set([...next, ...reads]), reads);
  }

  const cell = (name: PermissionName, label?: string) => (
    <PermissionCheckbox
      key={name}
      name={name}
      label={label}
      isOn={chosen.has(name)}
      lock={lockOf(name)}
      missing={missing.get(name) ?? []}
      onChange={(isOn) => set([name], isOn)}
    />
  );

  return (
    <Box>
      <MissingReads missing={missing} lockOf={lockOf} onTick={(names) => set(names, true)} />
      <Text fz="sm" c="dimmed" mb="md">
        Changing something requires reading it, so the read permissions are selected with it.
      </Text>
      {matrixSections().map((section) => (
        <Box key={section.title} mb="lg">
          <Panel flush title={section.title}>
            <Table className="matrix" withRowBorders verticalSpacing={8}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Resource</Table.Th>
                  {verbs.map((verb) => (
                    <Table.Th key={verb} w={84} ta="center">
                      {verb.charAt(0).toUpperCase() + verb.slice(1)}
                    </Table.Th>
                  ))}
                  <Table.Th w="24%">Besides</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {section.rows.map((row) => (
                  <Table.Tr key={row.resource}>
                    <Table.Th scope="row">
                      <RowName row={row} chosen={chosen} lockOf={lockOf} onSet={set} />
                    </Table.Th>
                    {verbs.map((verb) => {
                      const name = row.byVerb[verb];
                      return (
                        <Table.Td key={verb} ta="center" data-label={name && verbOf(name)}>
                          {name && cell(name)}
                        </Table.Td>
                      );
                    })}
                    <Table.Td data-others>
                      {row.others.length > 0 && (
                        <Group gap="md">{row.others.map((name) => cell(name, verbOf(name)))}</Group>
                      )}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Panel>
        </Box>
      ))}
    </Box>
  );
}

/** The name of a row selects or clears the whole row. */
function RowName(props: {
  readonly row: MatrixRow;
  readonly chosen: ReadonlySet<string>;
  readonly lockOf: Props['lockOf'];
  readonly onSet: (names: readonly PermissionName[], isOn: boolean) => void;
}) {
  const free = permissionsOf(props.row).filter((name) => props.lockOf(name) === null);
  if (free.length < 2) return <span>{props.row.label}</span>;
  const isFull = free.every((name) => props.chosen.has(name));
  return (
    <Tooltip label={isFull ? 'Clear the row' : 'Select the row'}>
      <button type="button" className="row-name" onClick={() => props.onSet(free, !isFull)}>
        {props.row.label}
      </button>
    </Tooltip>
  );
}

function PermissionCheckbox(props: {
  readonly name: PermissionName;
  readonly label: string | undefined;
  readonly isOn: boolean;
  readonly lock: string | null;
  readonly missing: readonly PermissionName[];
  readonly onChange: (isOn: boolean) => void;
}) {
  const { name, lock, missing } = props;
  const isIdle = missing.length > 0;
  const note = isIdle ? `Does nothing without: ${missing.map(permissionLabel).join(', ')}` : lock;
  return (
    <Tooltip label={note} disabled={note === null || note === ''} multiline maw={280}>
      <Box component="span" display="inline-flex">
        <Checkbox
          aria-label={props.label === undefined ? permissionLabel(name) : undefined}
          label={props.label}
          {...(props.label === undefined ? {} : { wrapperProps: { 'aria-label': permissionLabel(name) } })}
          description={undefined}
          color={isIdle ? 'yellow.8' : 'pine'}
          checked={props.isOn}
          disabled={lock !== null}
          onChange={(event) => props.onChange(event.currentTarget.checked)}
        />
      </Box>
    </Tooltip>
  );
}

/** Selected permissions without effect, with a button that adds the required ones. */
function MissingReads(props: {
  readonly missing: ReadonlyMap<PermissionName, readonly PermissionName[]>;
  readonly lockOf: Props['lockOf'];
  readonly onTick: (names: readonly PermissionName[]) => void;
}) {
  if (props.missing.size === 0) return null;
  const reads = [...new Set([...props.missing.values()].flat())];
  const free = reads.filter((name) => props.lockOf(name) === null && !isLocked(name));
  return (
    <Alert
      mb="lg"
      color="yellow"
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      title="Some permissions need a read permission"
      role="status"
    >
      <List size="sm" mb="sm">
        {[...props.missing].map(([name, needed]) => (
          <List.Item key={name}>
            <Text component="span" inherit fw={560}>
              {permissionLabel(name)}
            </Text>{' '}
            also needs {needed.map((read) => permissionLabel(read)).join(' and ')}.
          </List.Item>
        ))}
      </List>
      {free.length > 0 && (
        <Button size="xs" variant="default" onClick={() => props.onTick(free)}>
          {free.length === 1 ? 'Select it too' : `Select these ${free.length} too`}
        </Button>
      )}
    </Alert>
  );
}
