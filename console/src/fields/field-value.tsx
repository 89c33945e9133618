import { Badge, Group, Text } from '@mantine/core';
import { IconCheck, IconMinus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Copyable } from '../layout/copyable.tsx';
import { isStatusLike, StatusBadge } from '../layout/status.tsx';
import { Day, RelativeTime } from '../layout/times.tsx';
import type { Row } from '../nouns/noun.ts';
import { nounWithPrefix } from '../nouns/nouns.ts';
import { useMay } from '../session/caller.tsx';
import type { Column } from './columns.ts';
import { countryName } from './choices.ts';
import { intervalOf, wordOf } from './label.ts';
import { formatMoney } from './money.ts';
import { words } from './words.ts';

/** A member of a row as people read it. */
export function FieldValue({ column, row }: { readonly column: Column; readonly row: Row }) {
  const value = row[column.name];
  if (value === null || value === undefined || value === '') return <Absent />;
  if (column.refersTo !== null) return <Reference column={column} row={row} />;
  if (column.kind === 'boolean') return <YesNo isYes={value === true} />;
  if (typeof value === 'number') return <span>{formatNumber(column.name, value, row)}</span>;
  if (Array.isArray(value)) return value.length === 0 ? <Absent /> : <Tags values={value.map(String)} />;
  const line = words(value);
  if (isStatusLike(column.name)) return <StatusBadge value={line} />;
  if (column.kind === 'instant') return <RelativeTime instant={line} />;
  if (column.kind === 'day') return <Day day={line} />;
  if (column.kind === 'enum') return <span>{wordOf(line)}</span>;
  if (column.kind === 'identifier' || keys.has(column.name)) return <Copyable value={line} label={column.label} />;
  if (column.name === 'country') return <span>{countryName(line)}</span>;
  return <span>{line}</span>;
}

export function Absent() {
  return (
    <Text component="span" c="dimmed" inherit aria-label="none">
      –
    </Text>
  );
}

const keys = new Set(['tag', 'slug', 'subdomain', 'customer_key', 'account_key', 'hostname', 'code']);

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

/** The name of what is referred to, where the list brought it along; else its id. */
function Reference({ column, row }: { readonly column: Column; readonly row: Row }) {
  const may = useMay();
  const id = String(row[column.name]);
  const noun = column.refersTo === null ? null : nounWithPrefix(column.refersTo);
  if (noun === null) return <Copyable value={id} label={column.label} />;
  const included = column.include === null ? undefined : (row[column.include] as { data?: Row | null } | undefined);
  const name = included?.data ? noun.titleOf(included.data) : id;
  if (!may(noun.read)) return <span>{name}</span>;
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
  if (name === 'price' || name === 'signup_fee') return formatMoney(value, words(row['currency']) || 'EUR');
  if (name === 'periodicity') return intervalOf(value, String(row['periodicity_type']));
  if (name === 'trial_period') return value === 0 ? 'none' : intervalOf(value, String(row['trial_interval']));
  if (name === 'grace_period') return value === 0 ? 'none' : intervalOf(value, String(row['grace_interval']));
  return value.toLocaleString('en-GB');
}
