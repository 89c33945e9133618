/** Repeats `run` until it handles less than a full batch. @returns the total */
export async function inBatches(size: number, run: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const handled = await run();
    total += handled;
    if (handled < size) return total;
  }
}
