import { Box, Group, Text, ThemeIcon } from '@mantine/core';
import { IconApps, IconDoorEnter, IconRobot, IconUser, IconUserShield } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { Absent, NamedReference } from '../../../kit/display/field-value.tsx';
import { wordOf } from '../../../kit/format/label.ts';
import { toText } from '../../../kit/format/to-text.ts';
import { Copyable } from '../../../kit/display/copyable.tsx';
import type { Noun, Row } from '../../../kit/noun/noun.ts';
import { nounIndex } from '../nouns/nouns.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { AuditEntryRow } from '../nouns/rows.ts';

/** The actor: an icon for the type, and the name at the time of the entry. */
export function ActorCell({ row }: { readonly row: AuditEntryRow }) {
  const type = toText(row.actor_type);
  const Icon = icons[type] ?? IconRobot;
  const client = toText(row.client_name);
  return (
    <Group gap="xs" wrap="nowrap">
      <ThemeIcon variant="light" color="gray" size={26} radius="xl">
        <Icon size={15} stroke={1.6} aria-label={wordOf(type)} />
      </ThemeIcon>
      <Box miw={0}>
        <ActorName row={row} />
        {client !== '' && !builtInClients.test(client) && (
          <Text fz="xs" c="dimmed" truncate>
            via {client}
          </Text>
        )}
      </Box>
    </Group>
  );
}

/** The built-in clients are not shown. */
const builtInClients = / proxy client$/;

const icons: Readonly<Record<string, ComponentType<{ size?: number; stroke?: number; 'aria-label'?: string }>>> = {
  admin: IconUserShield,
  user: IconUser,
  client: IconApps,
  system: IconRobot,
  visitor: IconDoorEnter,
};

const nounOfActor: Readonly<Record<string, string>> = { admin: 'Admin', user: 'User', client: 'OauthClient' };

export function ActorName({ row }: { readonly row: AuditEntryRow }) {
  const may = useMay();
  const type = toText(row.actor_type);
  const noun = nounIndex.findByObject(nounOfActor[type] ?? '');
  const id = toText(row.actor_id);
  const name = type === 'system' ? 'The platform' : toText(row.actor_name) || wordOf(type);
  if (noun === null || id === '' || !may(noun.read)) return <span>{name}</span>;
  return (
    <Link to="/$noun/$id" params={{ noun: noun.path, id }} className="quiet-link">
      {name}
    </Link>
  );
}

/** The changed resource, with its name from the entry if there is one, otherwise with its current name. */
export function SubjectCell({ row }: { readonly row: AuditEntryRow }) {
  const type = toText(row.resource_type);
  const id = toText(row.resource_id);
  const noun = nounIndex.findByObject(type);
  return (
    <Box miw={0}>
      {id === '' ? <Absent /> : <SubjectName row={row} noun={noun} id={id} />}
      <Text fz="xs" c="dimmed" truncate>
        {[nameOfObject(type), partOf(row)].filter((words) => words !== '').join(' · ')}
      </Text>
    </Box>
  );
}

function SubjectName({
  row,
  noun,
  id,
}: {
  readonly row: AuditEntryRow;
  readonly noun: Noun | null;
  readonly id: string;
}) {
  const may = useMay();
  if (noun === null) return <SubjectWithoutPage row={row} id={id} />;
  const name = isAboutPart(row) ? null : (titleWithin(noun, row.new_values) ?? titleWithin(noun, row.old_values));
  if (!may(noun.read)) return <span>{name ?? id}</span>;
  if (name === null) return <NamedReference noun={noun} id={id} />;
  return (
    <Link to="/$noun/$id" params={{ noun: noun.path, id }} className="quiet-link">
      {name}
    </Link>
  );
}

/** Resources without a page are named by their user, email or name. */
function SubjectWithoutPage({ row, id }: { readonly row: AuditEntryRow; readonly id: string }) {
  const may = useMay();
  const users = nounIndex.findByObject('User');
  const { user_id: userId, email, name } = { ...valuesOf(row.old_values), ...valuesOf(row.new_values) };
  if (toText(email) !== '' || toText(name) !== '') return <span>{toText(email) || toText(name)}</span>;
  if (toText(userId) !== '' && users !== null && may(users.read)) {
    return <NamedReference noun={users} id={toText(userId)} />;
  }
  return <Copyable value={id} shown={`${id.slice(0, 14)}…`} label="id" />;
}

/** Whether the action is about a part of a resource, like `customer.owner_changed`. The values are of that part. */
function isAboutPart(row: AuditEntryRow): boolean {
  return (toText(row.action).split('.')[1] ?? '').includes('_');
}

function partOf(row: AuditEntryRow): string {
  if (!isAboutPart(row)) return '';
  const { name } = { ...valuesOf(row.old_values), ...valuesOf(row.new_values) };
  return toText(name);
}

function valuesOf(values: unknown): Readonly<Record<string, unknown>> {
  return typeof values === 'object' && values !== null ? (values as Record<string, unknown>) : {};
}

function titleWithin(noun: Noun, values: unknown): string | null {
  if (typeof values !== 'object' || values === null) return null;
  return noun.titleOf(values as Row).trim() || null;
}

/** `RoomToken` reads as "Room token". */
export function nameOfObject(object: string): string {
  const noun = nounIndex.findByObject(object);
  const text =
    noun?.singular ??
    object
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase()
      .replace(/^oauth /, 'OAuth ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
