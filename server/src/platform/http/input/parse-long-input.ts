import type { TObject } from 'typebox';
import { FaultList, type FieldFaults } from '../../failures.ts';
import { nextTurn } from '../../limits/next-turn.ts';
import { blankToNull, maxEntries, type ParsedInput, parseInput, readMember, type Schema } from './parse-input.ts';

/** Entries that are read in one turn of the event loop. */
const entriesPerSlice = 250;

/** Reads a body as `parseInput` does; other requests are handled while it reads a long list. */
export async function parseLongInput(schema: TObject, input: unknown, mode: 'create' | 'update'): Promise<ParsedInput> {
  const lists = longLists(schema, input);
  if (lists.length === 0) return parseInput(schema, input, mode);
  const shortInput = { ...(input as object), ...Object.fromEntries(lists.map(({ name }) => [name, []])) };
  const parsed = parseInput(schema, shortInput, mode);
  const faults = new FaultList();
  const values = 'values' in parsed ? parsed.values : {};
  if ('faults' in parsed) faults.add(parsed.faults);
  for (const { name, items, entries } of lists) {
    const parsedEntries: unknown[] = [];
    for (let start = 0; start < entries.length; start += entriesPerSlice) {
      if (start > 0) await nextTurn();
      const sliceFaults: FieldFaults = {};
      for (const entry of entries.slice(start, start + entriesPerSlice))
        parsedEntries.push(
          readMember(items, blankToNull(items, entry), `${name}.${parsedEntries.length}`, sliceFaults),
        );
      faults.add(sliceFaults);
    }
    values[name] = parsedEntries;
  }
  return Object.keys(faults.named).length > 0 ? { faults: faults.named, unnamed: faults.unnamed } : { values };
}

interface LongList {
  readonly name: string;
  readonly items: Schema;
  readonly entries: readonly unknown[];
}

function longLists(schema: TObject, input: unknown): LongList[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [];
  return (Object.entries(schema.properties) as [string, Schema][]).flatMap(
    ([name, { items, maxItems = maxEntries }]) => {
      const entries: unknown = Object.hasOwn(input, name) ? (input as Record<string, unknown>)[name] : undefined;
      const isLong = Array.isArray(entries) && entries.length > entriesPerSlice && entries.length <= maxItems;
      return items && isLong ? [{ name, items, entries }] : [];
    },
  );
}
