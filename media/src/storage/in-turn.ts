/** Serializes the work per key, so that writes of a file keep their order. */
export function createTurns(): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const lasts = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = lasts.get(key);
    const own = before === undefined ? work() : before.then(work, work);
    lasts.set(key, own);
    try {
      return await own;
    } finally {
      if (lasts.get(key) === own) lasts.delete(key);
    }
  };
}
