/** Work that runs once for all callers that ask for the same key while it is running. */
export function sharedWork<Outcome>() {
  const runningByOwner = new WeakMap<object, Map<string, Promise<Outcome>>>();
  /**
   * @param owner callers with other owners do not share the work
   * @param isFresh shares only work that starts after this call, so waits for the running one to end
   */
  return async (owner: object, key: string, work: () => Promise<Outcome>, isFresh = false): Promise<Outcome> => {
    const running = runningByOwner.get(owner) ?? new Map<string, Promise<Outcome>>();
    runningByOwner.set(owner, running);
    if (isFresh) await running.get(key)?.catch(() => undefined);
    const shared = running.get(key) ?? work().finally(() => running.delete(key));
    running.set(key, shared);
    return await shared;
  };
}
