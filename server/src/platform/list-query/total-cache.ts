import type { Kysely, RawBuilder } from 'kysely';
import { LRUCache } from 'lru-cache';

/** Exact totals, kept for two seconds in this process and dropped by every write that it makes. */
export interface TotalCache {
  read(statement: RawBuilder<unknown>, db: Kysely<never>, fresh: boolean): Promise<number>;
  clear(): void;
}

export function createTotalCache(): TotalCache {
  const totals = new LRUCache<string, number>({ max: 2000, ttl: 2000 });
  let generation = 0;
  return {
    async read(statement, db, fresh) {
      const compiled = statement.compile(db);
      const key = `${compiled.sql}\n${JSON.stringify(compiled.parameters)}`;
      const known = fresh ? undefined : totals.get(key);
      if (known !== undefined) return known;
      // A write that commits while the rows are counted must not leave the old total behind.
      const before = generation;
      const { rows } = await db.executeQuery<{ total: number }>(compiled);
      const total = rows[0]?.total ?? 0;
      if (generation === before) totals.set(key, total);
      return total;
    },
    clear() {
      generation++;
      // It costs the most where there is nothing to forget: all places are wiped.
      if (totals.size > 0) totals.clear();
    },
  };
}
