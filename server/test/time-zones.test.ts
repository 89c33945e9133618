import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseTimeZone } from '../src/platform/time/calendar-date.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, refusalOf } from './factories.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test('every time zone that both the database and the runtime know is accepted, with the spelling of the database', async () => {
  const { rows } = await sql<{ name: string }>`
    select name from pg_timezone_names where name !~ '^(posix|right)/' order by name
  `.execute(api.app.dependencies.db);
  const zones = rows.map(({ name }) => name).filter(isKnownToRuntime);
  expect(zones).toEqual(expect.arrayContaining(['Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv', 'Etc/GMT+5']));
  expect(zones.map((name) => parseTimeZone(name.toLowerCase()))).toEqual(zones);
});

test('every canonical zone name of the runtime is stored unchanged', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  expect(zones.map(parseTimeZone)).toEqual(zones);
});

test('an alias of a zone is stored in every time zone field, and reports accept it', async () => {
  const customer = await makeCustomer(api, { timezone: 'Asia/Kolkata' });
  expect(customer.timezone).toBe('Asia/Kolkata');
  const params = { customer_id: customer.id };
  const changed = await api.admin.updateCustomer({ params, body: { timezone: 'europe/kyiv' } });
  expect(changed.data.timezone).toBe('Europe/Kyiv');
  const { data: setting } = await api.admin.updateSettings({ body: { system_timezone: 'Etc/GMT+5' } });
  expect(setting.system_timezone).toBe('Etc/GMT+5');

  const query = { from: '2026-01-01', to: '2026-01-01', by: 'day' } as const;
  const report = await api.admin.readUsageReport({ query: { ...query, timezone: 'ASIA/KATHMANDU' } });
  expect(report.meta.timezone).toBe('Asia/Kathmandu');
});

test('an invalid time zone is a 422 with the field', async () => {
  const { id } = await makeCustomer(api);
  for (const timezone of ['Mars/Olympus', '+05:30', 'UTC+3', 'Etc/GMT+15', 'PST', 'localtime', 'Asia/Kolkata; x']) {
    const refusal = await refusalOf(api.admin.updateCustomer({ params: { customer_id: id }, body: { timezone } }));
    expect([timezone, refusal.status, Object.keys(refusal.errors)]).toEqual([timezone, 422, ['timezone']]);
  }
});

function isKnownToRuntime(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
