const waiting: (() => void)[] = [];

/**
 * Ends the current turn of the event loop. Of all callers in this process one goes on in each turn: however many long
 * answers are printed at once, a short request waits for one piece of one of them at a time.
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
