import { nextTurn } from '../limits/next-turn.ts';

/** The size of a value without its text, and of a name. */
const bytesOfValue = 16;
/** Values that are visited in one turn of the event loop. One row has at most some tens of thousands. */
const valuesPerSlice = 20_000;

interface Visited {
  bytes: number;
  values: number;
}

/**
 * Estimates how much memory rows take. Their texts are not read, only their lengths. Other requests are handled while
 * it visits many values.
 */
export async function estimateBytes(rows: readonly object[]): Promise<number> {
  const visited: Visited = { bytes: 0, values: 0 };
  let sliceEnd = valuesPerSlice;
  for (const row of rows) {
    if (visited.values >= sliceEnd) {
      await nextTurn();
      sliceEnd = visited.values + valuesPerSlice;
    }
    visit(row, visited);
  }
  return visited.bytes;
}

function visit(value: unknown, visited: Visited): void {
  visited.values += 1;
  visited.bytes += bytesOfValue;
  if (typeof value === 'string') visited.bytes += value.length;
  else if (Array.isArray(value)) for (const entry of value) visit(entry, visited);
  else if (typeof value === 'object' && value !== null) {
    for (const name in value) {
      visited.bytes += bytesOfValue;
      visit((value as Record<string, unknown>)[name], visited);
    }
  }
}
