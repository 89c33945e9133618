/** The outcome of the work, or of `late` if the work takes longer; the work itself is not stopped. */
export async function within<Outcome, Late>(
  ms: number,
  work: Promise<Outcome>,
  late: () => Late,
): Promise<Outcome | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([work, timeout.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
