/** The size of a value without its text, and of a name. */
const bytesOfValue = 16;

/** Estimates how much memory rows take. Their texts are not read, only their lengths. */
export function estimateBytes(rows: readonly object[]): number {
  let bytes = 0;
  for (const row of rows) bytes += bytesOf(row);
  return bytes;
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return bytesOfValue + value.length;
  if (typeof value !== 'object' || value === null) return bytesOfValue;
  let bytes = bytesOfValue;
  for (const name in value) bytes += bytesOfValue + bytesOf((value as Record<string, unknown>)[name]);
  return bytes;
}
