import type { CompiledQuery, Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';

/** Exact totals, cached in this process for two seconds, and dropped at every write of this process. */
export interface TotalCache {
  read(statement: CompiledQuery<{ total: number }>, db: Kysely<never>, shouldSkipCache: boolean): Promise<number>;
  clear(): void;
}

export function createTotalCache(): TotalCache {
  const totals = new LRUCache<string, number>({ max: 2000, ttl: 2000, ttlResolution: 0 });
  let generation = 0;
  return {
    async read(statement, db, shouldSkipCache) {
      const key = `${statement.sql}\n${JSON.stringify(statement.parameters)}`;
      const cached = shouldSkipCache ? undefined : totals.get(key);
      if (cached !== undefined) return cached;
      // A total that was counted while a write committed is not cached.
      const before = generation;
      const { rows } = await db.executeQuery(statement);
      const total = rows[0]?.total ?? 0;
      if (generation === before) totals.set(key, total);
      return total;
    },
    clear() {
      generation++;
      // Clearing an empty cache costs as much as clearing a full one.
      if (totals.size > 0) totals.clear();
    },
  };
}
