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
  requiredReads,
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

  function select(names: readonly PermissionName[], isOn: boolean): void {
    const changeable = names.filter((name) => lockOf(name) === null);
    if (!isOn) {
      onChange(new Set([...chosen].filter((name) => !changeable.some((other) => other === name))), []);
      return;
    }
    const next = new Set([...chosen, ...changeable]);
    const reads = requiredReads(changeable).filter((name) => !next.has(name) && lockOf(name) === null);
    onChange(new Set([...next, ...reads]), reads);
  }

  const renderCheckbox = (name: PermissionName, label?: string) => (
    <PermissionCheckbox
      key={name}
      name={name}
      label={label}
      isOn={chosen.has(name)}
      lock={lockOf(name)}
      missing={missing.get(name) ?? []}
      onChange={(isOn) => select([name], isOn)}
    />
  );

  return (
    <Box>
      <MissingReads missing={missing} lockOf={lockOf} onSelect={(names) => select(names, true)} />
      <Text fz="sm" c="dimmed" mb="md">
        Changing a resource requires reading it, so its read permission is selected too.
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
                  <Table.Th w="24%">Other</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {section.rows.map((row) => (
                  <Table.Tr key={row.resource}>
                    <Table.Th scope="row">
                      <RowName row={row} chosen={chosen} lockOf={lockOf} onSelect={select} />
                    </Table.Th>
                    {verbs.map((verb) => {
                      const name = row.byVerb[verb];
                      return (
                        <Table.Td key={verb} ta="center" data-label={name && verbOf(name)}>
                          {name && renderCheckbox(name)}
                        </Table.Td>
                      );
                    })}
                    <Table.Td data-others>
                      {row.otherPermissions.length > 0 && (
                        <Group gap="md">{row.otherPermissions.map((name) => renderCheckbox(name, verbOf(name)))}</Group>
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
  readonly onSelect: (names: readonly PermissionName[], isOn: boolean) => void;
}) {
  const changeable = permissionsOf(props.row).filter((name) => props.lockOf(name) === null);
  if (changeable.length < 2) return <span>{props.row.label}</span>;
  const isFull = changeable.every((name) => props.chosen.has(name));
  return (
    <Tooltip label={isFull ? 'Clear the row' : 'Select the row'}>
      <button type="button" className="row-name" onClick={() => props.onSelect(changeable, !isFull)}>
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
  const hasNoEffect = missing.length > 0;
  const note = hasNoEffect ? `Has no effect without: ${missing.map(permissionLabel).join(', ')}` : lock;
  return (
    <Tooltip label={note} disabled={note === null || note === ''} multiline maw={280}>
      <Box component="span" display="inline-flex">
        <Checkbox
          aria-label={props.label === undefined ? permissionLabel(name) : undefined}
          label={props.label}
          {...(props.label === undefined ? {} : { wrapperProps: { 'aria-label': permissionLabel(name) } })}
          description={undefined}
          color={hasNoEffect ? 'yellow.8' : 'pine'}
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
  readonly onSelect: (names: readonly PermissionName[]) => void;
}) {
  if (props.missing.size === 0) return null;
  const reads = [...new Set([...props.missing.values()].flat())];
  const changeable = reads.filter((name) => props.lockOf(name) === null && !isLocked(name));
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
      {changeable.length > 0 && (
        <Button size="xs" variant="default" onClick={() => props.onSelect(changeable)}>
          {changeable.length === 1 ? 'Select it too' : `Select these ${changeable.length} too`}
        </Button>
      )}
    </Alert>
  );
}
