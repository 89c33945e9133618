import type { Database } from '../../database/connect.ts';
import type { Tx } from '../../events/change.ts';
import { defaultSettings, type Settings } from '../../platform/settings.ts';

export async function readSettings(db: Database | Tx): Promise<Settings> {
  const rows = await db.selectFrom('settings').select(['name', 'value']).execute();
  const stored = Object.fromEntries(
    rows.filter(({ name }) => name in defaultSettings).map(({ name, value }) => [name, value]),
  );
  const settings = { ...defaultSettings, ...stored };
  return { ...settings, notifications: { ...defaultSettings.notifications, ...settings.notifications } };
}

/** Row locks serialize concurrent changes. */
export async function lockSettings(tx: Tx): Promise<Settings> {
  await tx.selectFrom('settings').select('name').orderBy('name').forUpdate().execute();
  return await readSettings(tx);
}

export async function writeSettings(tx: Tx, changes: Partial<Settings>, now: string): Promise<void> {
  const rows = Object.entries(changes)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => ({ name, value: JSON.stringify(value), updated_at: now }));
  if (rows.length === 0) return;
  await tx
    .insertInto('settings')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((row) => ({
        value: row.ref('excluded.value'),
        updated_at: row.ref('excluded.updated_at'),
      })),
    )
    .execute();
}
