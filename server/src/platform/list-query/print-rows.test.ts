import { expect, test } from 'vitest';
import { inChunks } from './print-rows.ts';

async function chunksOf(pieces: Iterable<string>): Promise<{ chunks: string[]; othersRan: number }> {
  const chunks: string[] = [];
  let othersRan = 0;
  let isDone = false;
  const runOther = () => {
    othersRan += 1;
    if (!isDone) setImmediate(runOther);
  };
  setImmediate(runOther);
  for await (const chunk of inChunks(pieces)) chunks.push(chunk);
  isDone = true;
  return { chunks, othersRan };
}

test('a long text is split into chunks of at most 64 KiB plus one piece, and other work runs between them', async () => {
  const pieces = Array.from({ length: 1000 }, () => 'x'.repeat(1000));
  const { chunks, othersRan } = await chunksOf(pieces);
  expect(chunks.join('')).toBe(pieces.join(''));
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(65_536 + 1000);
  expect(chunks.length).toBe(16);
  expect(othersRan).toBeGreaterThanOrEqual(chunks.length - 1);
});

test('other work also runs between many small pieces', async () => {
  const { chunks, othersRan } = await chunksOf(Array.from({ length: 10_000 }, () => '{}'));
  expect(chunks.length).toBe(20);
  expect(othersRan).toBeGreaterThanOrEqual(19);
});
