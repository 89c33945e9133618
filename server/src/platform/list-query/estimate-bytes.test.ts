import { expect, test } from 'vitest';
import { estimateBytes } from './estimate-bytes.ts';

test('other work runs while the memory of rows with very many values is estimated', async () => {
  const rows = Array.from({ length: 20 }, (_, id) => ({ id, metadata: { list: Array<number>(20_000).fill(1) } }));
  let isDone = false;
  let othersRan = 0;
  const runOther = () => {
    othersRan += 1;
    if (!isDone) setImmediate(runOther);
  };
  setImmediate(runOther);
  const bytes = await estimateBytes(rows);
  isDone = true;
  expect(bytes).toBeGreaterThan(20 * 20_000 * 8);
  expect(othersRan).toBeGreaterThanOrEqual(18);
});

test('the estimate covers texts, names, lists and maps', async () => {
  const text = 'x'.repeat(1000);
  expect(await estimateBytes([{ text }])).toBeGreaterThanOrEqual(1000);
  expect(await estimateBytes([{ list: [text, text], map: { text } }, { text }])).toBeGreaterThanOrEqual(4000);
});
