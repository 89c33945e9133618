import { Checkbox, Group, Input, Stack, Switch, Table, Text } from '@mantine/core';
import { scopes } from '@foyer/contract/conventions/scope.ts';
import { offeredScopes } from './offered-scopes.ts';
import type { InputProps } from '../../../kit/form/form-fields.ts';
import { lowered, phraseOf } from '../../../kit/format/label.ts';

interface Props {
  readonly label: string;
  readonly description: string | null;
  readonly error: string | null;
  readonly required: boolean;
  readonly value: readonly string[];
  readonly onChange: (scopes: string[]) => void;
}

/** `ScopesInput` as the input of a form's field. */
export function ScopesField({ field, value, faults, onChange }: InputProps) {
  return (
    <ScopesInput
      label={field.label}
      description={field.description}
      required={field.required}
      error={faults[''] ?? Object.values(faults)[0] ?? null}
      value={Array.isArray(value) ? value.map(String) : []}
      onChange={onChange}
    />
  );
}

/** The scopes of a token: everything, or read and write access by kind of resource. */
export function ScopesInput({ label, description, error, required, value, onChange }: Props) {
  const isUnlimited = value.includes('*');

  function toggle(scope: string, isOn: boolean): void {
    onChange(
      isOn ? scopes.filter((name) => name === scope || value.includes(name)) : value.filter((name) => name !== scope),
    );
  }

  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description={description}
      error={error}
      required={required}
      errorProps={{ role: 'alert' }}
    >
      <Stack gap="sm" mt={8} role="group" aria-label={label}>
        <Switch
          label="Everything"
          description="Includes resources that later versions add."
          checked={isUnlimited}
          onChange={(event) => onChange(event.currentTarget.checked ? ['*'] : [])}
        />
        {!isUnlimited && (
          <>
            <Group gap="xs">
              <Preset
                label="See everything"
                onClick={() => onChange(offeredScopes.filter((name) => name.endsWith(':read')))}
              />
              <Preset label="Nothing" onClick={() => onChange([])} />
            </Group>
            <Table withTableBorder verticalSpacing={6} className="scopes">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Resource</Table.Th>
                  <Table.Th w={72}>See</Table.Th>
                  <Table.Th w={84}>Change</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {scopeResources.map((resource) => (
                  <Table.Tr key={resource}>
                    <Table.Th scope="row" fw={450}>
                      {phraseOf(resource)}
                    </Table.Th>
                    {(['read', 'write'] as const).map((verb) => {
                      const scope = `${resource}:${verb}`;
                      return (
                        <Table.Td key={verb}>
                          {offeredScopes.includes(scope) && (
                            <Checkbox
                              aria-label={`${verb === 'read' ? 'See' : 'Change'} ${lowered(phraseOf(resource))}`}
                              checked={value.includes(scope)}
                              onChange={(event) => toggle(scope, event.currentTarget.checked)}
                            />
                          )}
                        </Table.Td>
                      );
                    })}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </>
        )}
      </Stack>
    </Input.Wrapper>
  );
}

const scopeResources = [
  ...new Set(offeredScopes.filter((name) => name !== '*').map((name) => name.split(':')[0] ?? '')),
];

function Preset({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <Text component="button" type="button" className="text-button" fz="sm" onClick={onClick}>
      {label}
    </Text>
  );
}
