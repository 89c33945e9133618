/** "1 token", "2,000 tokens". */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en-GB')} ${count === 1 ? noun : plural}`;
}

/** "no participants", "1 participant", "2 participants". */
export function countedOrNo(count: number, noun: string): string {
  return count === 0 ? `no ${noun}s` : counted(count, noun);
}
