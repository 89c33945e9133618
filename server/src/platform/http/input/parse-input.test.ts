import { integer, listOf, object, optional, text } from '@foyer/contract/conventions/field.ts';
import { expect, test } from 'vitest';
import { parseInput } from './parse-input.ts';
import { parseLongInput } from './parse-long-input.ts';

const schema = object({ name: text(), rows: listOf(object({ count: integer(), note: optional(text(10)) }), 10_000) });

/** Counts the turns of the event loop while `act` runs. */
async function countTurns(act: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const next = () => {
    turns += 1;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  await act();
  isOver = true;
  return turns;
}

test('other requests are handled while a long list is read', async () => {
  const rows = Array.from({ length: 10_000 }, (_, count) => ({ count }));
  expect(await countTurns(() => parseLongInput(schema, { name: 'Long', rows }, 'create'))).toBeGreaterThan(30);
});

test('a long list is read like a short one: with the same values and errors, and without undeclared members', async () => {
  const rows = Array.from({ length: 600 }, (_, count) => ({ count, note: ' n ', other: 1 }));
  const long = { name: ' Long ', rows, other: 1 };
  const values = { name: 'Long', rows: rows.map(({ count }) => ({ count, note: 'n' })) };
  expect(parseInput(schema, long, 'create')).toEqual({ values });
  expect(await parseLongInput(schema, long, 'create')).toEqual({ values });
  const wrong = { rows: [...rows, { count: 'x' }, 7] };
  const inOneTurn = parseInput(schema, wrong, 'create');
  expect(Object.keys('faults' in inOneTurn ? inOneTurn.faults : {})).toEqual(['name', 'rows.600.count', 'rows.601']);
  expect(await parseLongInput(schema, wrong, 'create')).toEqual({ ...inOneTurn, unnamed: 0 });
});

test('a list with too many entries is rejected before it is read', async () => {
  const body = { name: 'Too long', rows: Array(10_001).fill(7) };
  const refusal = { faults: { rows: ['The rows field must not have more than 10000 entries.'] } };
  expect(await parseLongInput(schema, body, 'create')).toEqual(refusal);
});
