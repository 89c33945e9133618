import type { EventName } from '@foyer/contract/conventions/event-types.ts';
import { secretMask } from '@foyer/contract/resources/providers/provider-types.ts';
import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { DB } from '../database/tables.ts';
import { printIdentifier, type Uuid } from '../platform/identity/identifier.ts';
import { printRow } from '../platform/list-query/print-row.ts';
import type { Reader, View } from '../platform/list-query/view.ts';
import type { CalendarDate } from '../platform/time/calendar-date.ts';
import { difference, maskMembers } from './masked-values.ts';

type Members = Readonly<Record<string, unknown>>;

export interface EventInput {
  readonly name: EventName;
  readonly resource: { readonly type: string; readonly id: Uuid };
  readonly customerId?: Uuid | null;
  /** The row before and after. Only differences are stored, with masked secrets. */
  readonly before?: object | null;
  readonly after?: object | null;
  /** `before` is printed as on this day; by default as today, when an expired resource is printed as expired. */
  readonly beforeDay?: CalendarDate;
  /** Additional members of the event. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The contents of an event. */
export interface EventData {
  /** The resource as the API prints it, with masked secrets. For a deleted resource, its last state. */
  readonly data: Members;
  /** The former values of the members that changed; null for a new resource. */
  readonly previous: Members | null;
}

/** Prints resources for events. */
export interface EventPrinter {
  /** Prints from the given rows, and reads a resource only if its row is incomplete. */
  print(tx: Transaction<DB>, events: readonly EventInput[]): Promise<EventData[]>;
  /** Prints only from the given rows. If neither row is complete, the result has only the given members. */
  printFromRows(event: EventInput): EventData;
}

/** @param views by resource type */
export function createEventPrinter(views: Readonly<Record<string, View<never>>>, readerOf: () => Reader): EventPrinter {
  const viewOf = (type: string) => (views[type] as unknown as View | undefined) ?? null;
  return {
    async print(tx, events) {
      const reader: Reader = { ...readerOf(), db: tx as never };
      const missing = new Map<View, Set<Uuid>>();
      const hydrated = await hydrate(events, viewOf, reader);
      const prepared = hydrated.map((event) => {
        const view = viewOf(event.resource.type);
        const rows = printRows(view, event, reader);
        if (view && (!rows.current || (event.before && !rows.former)))
          missing.set(view, (missing.get(view) ?? new Set()).add(event.resource.id));
        return { event, rows };
      });
      const loaded = new Map<Uuid, Row>();
      for (const [view, ids] of missing) for (const row of await load(view, [...ids], reader)) loaded.set(row.id, row);
      return prepared.map(({ event, rows }) => {
        const view = viewOf(event.resource.type);
        const row = loaded.get(event.resource.id);
        return dataOf(view, event, view && row ? completeRows(view, event, { rows, row }, reader) : rows);
      });
    },
    printFromRows(event) {
      const view = viewOf(event.resource.type);
      return dataOf(view, event, printRows(view, event, readerOf()));
    },
  };
}

/** Adds the members that `hydrate` of the views loads. Room tokens are not decrypted, since they are masked. */
async function hydrate(
  events: readonly EventInput[],
  viewOf: (type: string) => View | null,
  reader: Reader,
): Promise<readonly EventInput[]> {
  const rowsByView = new Map<View, { id: string }[]>();
  const hydrated = events.map((event) => {
    const view = viewOf(event.resource.type);
    if (!view?.hydrate) return event;
    const rows = rowsByView.get(view) ?? [];
    rowsByView.set(view, rows);
    const copy = (row: object | null | undefined) => {
      if (!row) return null;
      const copied = { token: secretMask, ...row };
      if ('id' in copied) rows.push(copied as { token: string; id: string });
      return copied;
    };
    return { ...event, before: copy(event.before), after: copy(event.after) };
  });
  for (const [view, rows] of rowsByView) await view.hydrate?.(rows, reader);
  return hydrated;
}

interface PrintedRows {
  /** The resource after the change, or before its deletion; null if the row is incomplete. */
  readonly current: Members | null;
  readonly former: Members | null;
  /** The members that were read because a row is incomplete. */
  readonly loaded?: Row;
}

type Row = Members & { readonly id: Uuid };

function printRows(view: View | null, { name, before, after, beforeDay }: EventInput, reader: Reader): PrintedRows {
  if (!view) return { current: null, former: null };
  const former = before ? printFormer(view, before, beforeDay, reader) : null;
  const isDeleted = name.endsWith('.deleted');
  return { current: isDeleted ? former : after ? printIfComplete(view, after, reader) : null, former };
}

function printFormer(view: View, before: object, day: CalendarDate | undefined, reader: Reader): Members | null {
  return printIfComplete(view, before, day ? { ...reader, today: day } : reader);
}

/** Adds the members of the loaded row that the rows of the event lack, such as those of other tables. */
function completeRows(
  view: View,
  { before, beforeDay }: EventInput,
  { rows, row }: { readonly rows: PrintedRows; readonly row: Row },
  reader: Reader,
): PrintedRows {
  return {
    current: rows.current ?? printRow(view, row, reader, null),
    former: rows.former ?? (before ? printFormer(view, { ...row, ...before }, beforeDay, reader) : null),
    loaded: row,
  };
}

function dataOf(view: View | null, event: EventInput, { current, former, loaded }: PrintedRows): EventData {
  const { resource, before = null, after = null, details } = event;
  const isDeleted = event.name.endsWith('.deleted');
  const data = maskMembers(resource.type, {
    ...(current ?? { object: resource.type, ...(isDeleted ? before : after), id: printId(view, resource) }),
    ...details,
  });
  if (!before) return { data, previous: after ? null : {} };
  if (isDeleted) return { data, previous: {} };
  const differences = difference(resource.type, before, after ?? {}).before;
  if (!former || !current) return { data, previous: differences };
  const secrets = secretsChangedIn(after) ?? secretsChangedIn(details) ?? [];
  const isChanged = (member: string) =>
    JSON.stringify(former[member]) !== JSON.stringify(current[member]) || hasAny(secrets, member, former[member]);
  const changed = Object.keys(former).filter((member) => !isTimestamp(member) && isChanged(member));
  // Some events have members that are not of the resource, such as the values of all features.
  const others = loaded ? Object.entries(differences ?? {}).filter(([member]) => !(member in loaded)) : [];
  return {
    data,
    previous: maskMembers(resource.type, {
      ...Object.fromEntries(others),
      ...Object.fromEntries(changed.map((member) => [member, former[member]])),
    }),
  };
}

/** The names of changed secrets, which are printed as the same mask before and after. */
function secretsChangedIn(members: object | null | undefined): readonly string[] | undefined {
  return members && 'secrets_changed' in members ? (members.secrets_changed as readonly string[]) : undefined;
}

/** Whether the member is one of the secrets or contains one. */
function hasAny(secrets: readonly string[], member: string, value: unknown): boolean {
  return secrets.some((name) => name === member || (typeof value === 'object' && value !== null && name in value));
}

function printId(view: View | null, { id }: EventInput['resource']): string {
  return view ? printIdentifier(view.resource.prefix, id) : id;
}

function isTimestamp(member: string): boolean {
  return member === 'updated_at' || member.startsWith('readable_');
}

/** Null if the row lacks a member that is printed. */
function printIfComplete(view: View, row: object, reader: Reader): Members | null {
  let isComplete = true;
  const observedRow = new Proxy(row as { id: string }, {
    get(target, member) {
      if (!(member in target)) isComplete = false;
      return Reflect.get(target, member) as unknown;
    },
  });
  try {
    const printed = printRow(view, observedRow, reader, null);
    return isComplete ? printed : null;
  } catch (error) {
    if (!isComplete) return null;
    throw error;
  }
}

async function load(view: View, ids: readonly Uuid[], reader: Reader): Promise<Row[]> {
  const condition: RawBuilder<unknown> = sql`${sql.ref(`${view.table}.id`)} = any(${[...ids]}::uuid[])`;
  const { rows } = await sql<Row>`select ${view.select} from ${view.from} where ${condition}`.execute(reader.db);
  await view.hydrate?.(rows, reader);
  return rows;
}

/** Whether the write changed nothing. Such a write creates no event. */
export function isUnchanged({ name, resource, before, after, details }: EventInput): boolean {
  if (!name.endsWith('.updated') || !before || !after || Object.keys(details ?? {}).length > 0) return false;
  return Object.keys(difference(resource.type, before, after).before ?? {}).length === 0;
}
