import { Group, Select, Stack, TextInput } from '@mantine/core';
import { maxTokensOfBatch } from '@foyer/contract/resources/rooms/room-token.ts';
import { roomRoles } from '@foyer/contract/resources/rooms/room.ts';
import { fromLocalInput } from '../../../../kit/format/instants.ts';
import { wordOf } from '../../../../kit/format/label.ts';
import { NumberField } from '../../../../kit/form/fields/number-field.tsx';

export interface SimilarTokens {
  readonly count: unknown;
  readonly role: string;
  readonly prefix: string;
  readonly expiresAt: string;
  readonly maxUses: unknown;
}

export const maxTokensText = maxTokensOfBatch.toLocaleString('en-GB');

export function SimilarTokenFields({
  value,
  onChange,
}: {
  readonly value: SimilarTokens;
  readonly onChange: (value: SimilarTokens) => void;
}) {
  return (
    <Stack gap="md">
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <NumberField
          name="count"
          label="Number of tokens"
          description={`Up to ${maxTokensText}.`}
          error={
            value.count === '' || value.count === undefined || isCount(value.count)
              ? null
              : `From 1 to ${maxTokensText}.`
          }
          required
          rule={{ minimum: 1, maximum: maxTokensOfBatch, decimals: 0 }}
          value={value.count as number}
          onChange={(count) => onChange({ ...value, count })}
        />
        <Select
          label="Role"
          description="The role of all tokens."
          allowDeselect={false}
          value={value.role}
          data={roomRoles.map((role) => ({ value: role, label: wordOf(role) }))}
          onChange={(role) => onChange({ ...value, role: role ?? 'attendee' })}
        />
      </Group>
      <TextInput
        label="Name"
        description="With a number: “Guest” becomes “Guest 1”, “Guest 2” and so on. If empty, the tokens have no names."
        maxLength={140}
        value={value.prefix}
        onChange={(event) => onChange({ ...value, prefix: event.currentTarget.value })}
      />
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <TextInput
          type="datetime-local"
          label="Expires"
          description="If empty, they never expire."
          value={value.expiresAt}
          onChange={(event) => onChange({ ...value, expiresAt: event.currentTarget.value })}
        />
        <NumberField
          name="max_uses"
          label="Uses per token"
          description="If empty, unlimited."
          error={null}
          required={false}
          rule={{ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, decimals: 0 }}
          value={value.maxUses as number}
          onChange={(maxUses) => onChange({ ...value, maxUses })}
        />
      </Group>
    </Stack>
  );
}

export function isCount(count: unknown): count is number {
  return typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= maxTokensOfBatch;
}

export function tokensOf({ count, role, prefix, expiresAt, maxUses }: SimilarTokens) {
  const shared = {
    role: role as 'attendee',
    ...(expiresAt === '' ? {} : { expires_at: fromLocalInput(expiresAt) }),
    ...(typeof maxUses === 'number' ? { max_uses: maxUses } : {}),
  };
  return Array.from({ length: isCount(count) ? count : 0 }, (_, index) => ({
    ...shared,
    ...(prefix.trim() === '' ? {} : { name: `${prefix.trim()} ${index + 1}` }),
  }));
}
