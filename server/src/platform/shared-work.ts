/** Work that runs once for all callers that ask for the same key while it is running. */
export function sharedWork<Outcome>() {
  const runningByOwner = new WeakMap<object, Map<string, Promise<Outcome>>>();
  /** @param owner callers with other owners do not share the work */
  return async (owner: object, key: string, work: () => Promise<Outcome>): Promise<Outcome> => {
    const running = runningByOwner.get(owner) ?? new Map<string, Promise<Outcome>>();
    runningByOwner.set(owner, running);
    const shared = running.get(key) ?? work().finally(() => running.delete(key));
    running.set(key, shared);
    return await shared;
  };
}
