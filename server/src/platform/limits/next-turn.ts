const waiting: (() => void)[] = [];

/**
 * Waits for a later turn of the event loop. In each turn only one caller of this process continues: however many long
 * answers are printed, a short request waits for one piece of one of them.
 */
export async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeOne);
  });
}

function resumeOne(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeOne);
}
