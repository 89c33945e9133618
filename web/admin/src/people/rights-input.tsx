import { Checkbox, Fieldset, Group, Input, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { type MembershipLevel, type Right, rightsOfLevel } from '@foyer/contract/conventions/rights.ts';
import { rightGroups, rightWord, withoutRight, withRight } from './rights.ts';

interface Props {
  readonly level: MembershipLevel;
  readonly isOwner: boolean;
  readonly rights: readonly Right[];
  readonly error: string | null;
  readonly onOwner: (isOwner: boolean) => void;
  readonly onRights: (rights: Right[]) => void;
}

/** The rights in a customer, an account or a room. Every right includes the right to see it. */
export function RightsInput({ level, isOwner, rights, error, onOwner, onRights }: Props) {
  return (
    <Stack gap="lg">
      <Switch
        name="owner"
        label={`Owner of the ${level}`}
        description={
          isOwner
            ? 'Has all rights. There is only one owner; the current one stays a member with all rights.'
            : `There is only one owner, who has all rights.`
        }
        checked={isOwner}
        onChange={(event) => onOwner(event.currentTarget.checked)}
      />
      {!isOwner && (
        <Input.Wrapper label="Rights" labelElement="div" error={error} errorProps={{ role: 'alert' }}>
          <Group gap="md" mb="sm">
            <Preset label="See everything" onClick={() => onRights(readRightsOf(level))} />
            <Preset label="Everything" onClick={() => onRights([...rightsOfLevel[level]])} />
            <Preset label="Nothing" onClick={() => onRights([])} />
          </Group>
          <Stack gap="lg">
            {rightGroups(level).map(({ level: groupLevel, title, rights: offeredRights }) => (
              <Fieldset key={groupLevel} legend={title} variant="unstyled" className="rights">
                <SimpleGrid cols={2} spacing="xs" verticalSpacing={10}>
                  {offeredRights.map((right) => (
                    <Checkbox
                      key={right}
                      label={capitalize(rightWord(right))}
                      checked={rights.includes(right)}
                      onChange={(event) =>
                        onRights(
                          event.currentTarget.checked ? withRight(level, rights, right) : withoutRight(rights, right),
                        )
                      }
                    />
                  ))}
                </SimpleGrid>
              </Fieldset>
            ))}
          </Stack>
          <Text fz="xs" c="dimmed" mt="md">
            Every right includes “See”.
          </Text>
        </Input.Wrapper>
      )}
    </Stack>
  );
}

function readRightsOf(level: MembershipLevel): Right[] {
  return rightsOfLevel[level].filter((right) => right.startsWith('read-'));
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function Preset({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <Text component="button" type="button" className="text-button" fz="sm" onClick={onClick}>
      {label}
    </Text>
  );
}
