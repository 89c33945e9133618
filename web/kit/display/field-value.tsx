import { Badge, Group, Text } from '@mantine/core';
import { IconCheck, IconMinus } from '@tabler/icons-react';
import { FoyerError } from '@foyer/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Copyable } from './copyable.tsx';
import { isStatusLike, StatusBadge } from './status.tsx';
import { Day, RelativeTime } from './times.tsx';
import type { Noun, Row } from '../noun/noun.ts';
import { callEndpoint } from '../api/client.ts';
import { useMay, useNouns } from '../noun/app.tsx';
import type { Column } from '../list/columns.ts';
import { countryName, languageName } from '../format/choices.ts';
import { counted } from '../format/counted.ts';
import { intervalText, wordOf } from '../format/label.ts';
import { formatMoney } from '../format/money.ts';
import { toText } from '../format/to-text.ts';

/** A member of a row, formatted by its kind. */
export function FieldValue({ column, row }: { readonly column: Column; readonly row: Row }) {
  const value = row[column.name];
  if (value === null || value === undefined || value === '') return <Absent />;
  if (column.refersTo !== null) return <Reference column={column} row={row} />;
  if (column.kind === 'relationship') return <Related value={value} />;
  if (column.kind === 'boolean') return <YesNo isYes={value === true} />;
  if (typeof value === 'number') return <span>{formatNumber(column.name, value, row)}</span>;
  if (Array.isArray(value))
    return value.length === 0 ? <Absent /> : <Tags values={value.map((word) => wordOf(String(word)))} />;
  const line = toText(value);
  if (isStatusLike(column.name)) return <StatusBadge value={line} />;
  if (column.kind === 'instant') return <RelativeTime instant={line} />;
  if (column.kind === 'day') return <Day day={line} />;
  if (column.kind === 'enum') return <span>{wordOf(line)}</span>;
  if (column.kind === 'identifier' || copyableMembers.has(column.name))
    return <Copyable value={line} label={column.label} />;
  if (column.name === 'country') return <span>{countryName(line)}</span>;
  if (column.name === 'locale') return <span>{languageName(line)}</span>;
  return <span>{line}</span>;
}

/** The names of related resources, at most three. */
function Related({ value }: { readonly value: unknown }) {
  const nouns = useNouns();
  const rows = (value as { data?: readonly (Row & { object?: unknown })[] }).data ?? [];
  if (rows.length === 0) return <Absent />;
  const names = rows.map((row) => nouns.findByObject(toText(row.object))?.titleOf(row) ?? row.id);
  return <Tags values={[...names.slice(0, 3), ...(names.length > 3 ? [`+ ${names.length - 3}`] : [])]} />;
}

export function Absent() {
  return (
    <Text component="span" c="dimmed" inherit aria-label="none">
      –
    </Text>
  );
}

const copyableMembers = new Set(['tag', 'slug', 'subdomain', 'customer_key', 'account_key', 'hostname', 'code']);

function YesNo({ isYes }: { readonly isYes: boolean }) {
  return (
    <Group
      component="span"
      className="inline"
      display="inline-flex"
      gap={4}
      wrap="nowrap"
      {...(isYes ? {} : { c: 'dimmed' })}
    >
      {isYes ? (
        <IconCheck size={15} color="var(--mantine-color-anchor)" aria-hidden />
      ) : (
        <IconMinus size={15} aria-hidden />
      )}
      {isYes ? 'Yes' : 'No'}
    </Group>
  );
}

function Tags({ values }: { readonly values: readonly string[] }) {
  return (
    <Group gap={4} component="span" display="inline-flex">
      {values.map((value) => (
        <Badge key={value} variant="default" tt="none" fw={450}>
          {value}
        </Badge>
      ))}
    </Group>
  );
}

/** The name of the referenced resource if the list included it, else its id. */
function Reference({ column, row }: { readonly column: Column; readonly row: Row }) {
  const may = useMay();
  const nouns = useNouns();
  const id = String(row[column.name]);
  const noun = column.refersTo === null ? null : nouns.findByPrefix(column.refersTo);
  if (noun === null) return <Copyable value={id} label={column.label} />;
  const included = column.include === null ? undefined : (row[column.include] as { data?: Row | null } | undefined);
  const name = included?.data ? noun.titleOf(included.data) : null;
  if (!may(noun.read)) return name === null ? <NotVisible noun={noun} id={id} /> : <span>{name}</span>;
  return name === null ? <NamedReference noun={noun} id={id} /> : <ReferenceLink noun={noun} id={id} name={name} />;
}

/** Shown for a resource that the caller may not read. The tooltip has its id. */
export function NotVisible({ noun, id }: { readonly noun: Noun; readonly id: string }) {
  return (
    <Text component="span" inherit c="dimmed" title={`${id}: you don’t have permission to see ${noun.singular} names.`}>
      Not visible to you
    </Text>
  );
}

/** Reads a resource by its id to show its name. Shows the id if the resource was deleted. */
export function NamedReference(props: { readonly noun: Noun; readonly id: string }) {
  return useMay()(props.noun.read) ? <ReadReference {...props} /> : <NotVisible {...props} />;
}

function ReadReference({ noun, id }: { readonly noun: Noun; readonly id: string }) {
  const result = useQuery({
    queryKey: [noun.read, id],
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      callEndpoint(noun.read, { params: { [noun.param]: id }, signal }) as Promise<{ data: Row }>,
  });
  if (result.error instanceof FoyerError && result.error.status === 403) return <NotVisible noun={noun} id={id} />;
  if (result.error) return <Copyable value={id} shown={`${id.slice(0, 14)}…`} label="id" />;
  return <ReferenceLink noun={noun} id={id} name={result.data ? noun.titleOf(result.data.data) : '…'} />;
}

function ReferenceLink({ noun, id, name }: { readonly noun: Noun; readonly id: string; readonly name: string }) {
  return (
    <Link
      to="/$noun/$id"
      params={{ noun: noun.path, id }}
      className="quiet-link"
      onClick={(event) => event.stopPropagation()}
    >
      {name}
    </Link>
  );
}

function formatNumber(name: string, value: number, row: Row): string {
  if (name === 'price' || name === 'signup_fee') return formatMoney(value, toText(row['currency']) || 'EUR');
  if (name === 'periodicity') return intervalText(value, String(row['periodicity_type']));
  if (name === 'trial_period') return value === 0 ? 'None' : counted(value, String(row['trial_interval']));
  if (name === 'grace_period') return value === 0 ? 'None' : counted(value, String(row['grace_interval']));
  return value.toLocaleString('en-GB');
}
