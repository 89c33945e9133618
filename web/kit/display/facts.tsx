import { Code, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { columnsOf } from '../list/columns.ts';
import { Absent, FieldValue } from './field-value.tsx';
import { labelOf } from '../format/label.ts';
import { Copyable } from './copyable.tsx';
import { Panel } from './page-header.tsx';
import type { Noun, Row } from '../noun/noun.ts';
import { resourceOf } from '../noun/resource-of.ts';
import { toText } from '../format/to-text.ts';
import { useNouns } from '../noun/app.tsx';

/** The labels and values of a row: of the members in `names`, or of all that the page does not show elsewhere. */
export function Facts({
  noun,
  row,
  names,
}: {
  readonly noun: Noun;
  readonly row: Row;
  readonly names?: readonly string[];
}) {
  const columns = columnsOf(resourceOf(noun), useNouns().prefixOfObject);
  const visible = names
    ? names.flatMap((name) => columns.find((column) => column.name === name) ?? [])
    : columns.filter(({ name }) => !identityMembers.has(name) && !shownElsewhere.has(name));
  return (
    <FactList
      facts={visible.map((column) => [column.label, <FieldValue key={column.name} column={column} row={row} />])}
    />
  );
}

export function FactList({ facts }: { readonly facts: readonly (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([label, value]) => (
        <Fragment key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** The forms of the identifier, and the times of creation and last change. */
export function IdentityPanel({ noun, row }: { readonly noun: Noun; readonly row: Row }) {
  const columns = columnsOf(resourceOf(noun), useNouns().prefixOfObject);
  const times = columns.filter(({ name }) => name === 'created_at' || name === 'updated_at');
  return (
    <Panel title="Identifiers">
      <FactList
        facts={[
          ...keysOf(row),
          ...times.map((column) => [column.label, <FieldValue key={column.name} column={column} row={row} />] as const),
        ]}
      />
    </Panel>
  );
}

function keysOf(row: Row): (readonly [string, ReactNode])[] {
  return ['id', 'uuid', 'ulid', 'customer_key', 'account_key']
    .filter((name) => typeof row[name] === 'string')
    .map((name) => [labelOf(name), <Copyable key={name} value={toText(row[name])} label={labelOf(name)} />]);
}

/** A metadata store or another map of the row. */
export function MapPanel({ title, map }: { readonly title: string; readonly map: unknown }) {
  const entries = typeof map === 'object' && map !== null ? Object.entries(map) : [];
  if (entries.length === 0) return null;
  return (
    <Panel title={title}>
      <FactList facts={entries.map(([key, value]) => [key, <MapValue key={key} value={value} />])} />
    </Panel>
  );
}

export function MapValue({ value }: { readonly value: unknown }) {
  if (value === null || value === '') return <Absent />;
  if (typeof value === 'boolean') return <>{value ? 'Yes' : 'No'}</>;
  if (typeof value === 'object') return <Code block>{JSON.stringify(value, null, 2)}</Code>;
  return <Text inherit>{toText(value)}</Text>;
}

const identityMembers = new Set(['id', 'customer_key', 'account_key', 'created_at', 'updated_at']);
const shownElsewhere = new Set([
  'status',
  'currency',
  'periodicity_type',
  'trial_interval',
  'grace_interval',
  'is_active',
  'first_name',
  'last_name',
]);
