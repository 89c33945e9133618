/** The outcome of the work, or of `onTimeout` if the work takes longer. The work itself is not stopped. */
export async function withTimeout<Outcome, Late>(
  ms: number,
  work: Promise<Outcome>,
  onTimeout: () => Late,
): Promise<Outcome | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([work, timeout.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}
