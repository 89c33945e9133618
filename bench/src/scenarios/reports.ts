import { seed, withClient } from '../database.ts';
import { median } from '../measure/median.ts';
import { createBenchApp, type Installation } from '../create-bench-app.ts';
import { runJob } from '../../../server/src/modules.ts';

export interface ReportsOptions {
  readonly installation: Installation;
  /** Base URL of the server. */
  readonly url: string;
  readonly token: string;
  /** Meetings over the last year, with three or four stays each. */
  readonly meetings: number;
  readonly customers: number;
  readonly rounds: number;
}

/** Measures reports over a year with and without daily roll-ups, against bare statements. */
export async function benchReports(options: ReportsOptions): Promise<string> {
  const { installation, meetings, customers } = options;
  const rooms = Math.max(customers, Math.ceil(meetings / 50));
  await withClient(installation.connectionString, async (client) => {
    await seed(client, customers, rooms);
    // No triggers and no foreign key checks: no roll-up exists that they would update, and all references are valid.
    await client.query('set session_replication_role = replica');
    for (const statement of meetingStatements(meetings, rooms)) await client.query(statement);
  });
  const rolled = await rollUp(installation);
  const from = new Date(Date.now() - 364 * 86_400_000).toISOString().slice(0, 10);
  const lastMonth = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1, 1));
  const month = { from: lastMonth.toISOString().slice(0, 10), to: endOfMonth(lastMonth) };
  return [
    `${meetings} meetings of a year, of ${customers} customers in ${rooms} rooms`,
    `  ${rolled.days} days were rolled up in ${rolled.seconds.toFixed(1)} s`,
    ...(await compare(options, {
      name: 'the year of the platform by month',
      query: `from=${from}&by=month`,
      bare: `select date_trunc('month', joined_at), ${bareFigures} from room_entries where joined_at >= '${from}' group by 1`,
      goalMs: 2000,
    })),
    ...(await compare(options, {
      name: 'a month by customer',
      query: `from=${month.from}&to=${month.to}&by=month&group_by=customer`,
      bare: `select customer_id, ${bareFigures} from room_entries join meetings on meetings.id = meeting_id
        where joined_at >= '${month.from}' and joined_at < date '${month.to}' + 1 group by 1`,
      goalMs: 1000,
    })),
    ...(await measureCsv(options, `from=${from}&group_by=room&format=csv`)),
  ].join('\n');
}

/** The aggregates of a report, without peaks: these need a sort of all joins and leaves. */
const bareFigures = `sum(greatest(1, ceil(extract(epoch from coalesce(left_at, now()) - joined_at) / 60))), count(distinct meeting_id)`;

function meetingStatements(meetings: number, rooms: number): string[] {
  return [
    `insert into meetings (id, room_id, customer_id, subscription_id, provider_meeting_id, state, started_at, ended_at,
       created_at, updated_at)
     select uuidv7(at - clock_timestamp()), room.id, room.customer_id, room.subscription_id, 'past', 'ended', at,
       at + length, at, at
     from (
       select number, now() - (${meetings} - number + 1) * (interval '365 days' / ${meetings}) as at,
         (10 + number % 80) * interval '1 minute' as length, (number::bigint * 7919) % ${rooms} as room_number
       from generate_series(1, ${meetings}) number
     ) meeting
     join (select *, row_number() over (order by id) - 1 as room_number from rooms) room using (room_number)
     order by number`,
    `insert into room_entries (id, room_id, meeting_id, subscription_id, role, expires_at, joined_at, left_at, created_at)
     select uuidv7(started_at - clock_timestamp()), room_id, id, subscription_id, 'guest', started_at,
       started_at + number * interval '40 seconds', ended_at, started_at
     from meetings cross join generate_series(1, 3 + extract(minute from started_at)::int % 2) number
     order by started_at`,
    'vacuum analyze',
  ];
}

async function rollUp(installation: Installation): Promise<{ days: number; seconds: number }> {
  const app = await createBenchApp(installation);
  try {
    const startedMs = performance.now();
    const days = await runJob(app.dependencies, 'roll-up-usage');
    return { days, seconds: (performance.now() - startedMs) / 1000 };
  } finally {
    await app.close();
  }
}

interface ReportCase {
  readonly name: string;
  readonly query: string;
  readonly bare: string;
  readonly goalMs: number;
}

async function compare(options: ReportsOptions, { name, query, bare, goalMs }: ReportCase): Promise<string[]> {
  const figures = { report: [] as number[], bare: [] as number[] };
  await withClient(options.installation.connectionString, async (client) => {
    for (let round = 0; round < options.rounds; round++) {
      figures.report.push(await msOf(() => read(options, query)));
      figures.bare.push(await msOf(() => client.query(bare)));
    }
  });
  const [reportMs, bareMs] = [median(figures.report), median(figures.bare)];
  return [
    `  ${name} ${reportMs.toFixed(0)} ms, the bare aggregate without peaks ${bareMs.toFixed(0)} ms, ratio ${(reportMs / bareMs).toFixed(3)}`,
    `  ${reportMs <= goalMs ? 'reached     ' : 'not reached '} at most ${goalMs} ms`,
  ];
}

async function measureCsv(options: ReportsOptions, query: string): Promise<string[]> {
  const startedMs = performance.now();
  const { lines, bytes, firstMs } = await read(options, query);
  const seconds = (performance.now() - startedMs) / 1000;
  return [
    `  the year by day and room as CSV: ${lines} lines, ${(bytes / 1_000_000).toFixed(0)} MB in ${seconds.toFixed(1)} s,` +
      ` the first byte after ${(firstMs / 1000).toFixed(1)} s`,
  ];
}

async function read(
  { url, token }: ReportsOptions,
  query: string,
): Promise<{ lines: number; bytes: number; firstMs: number }> {
  const startedMs = performance.now();
  const answer = await fetch(`${url}/api/v1/reports/usage?${query}`, { headers: { authorization: `Bearer ${token}` } });
  if (answer.status !== 200) throw new Error(`Answered with ${answer.status}: ${await answer.text()}`);
  let [lines, bytes, firstMs] = [0, 0, 0];
  for await (const chunk of answer.body ?? []) {
    firstMs ||= performance.now() - startedMs;
    const part = chunk as Uint8Array;
    bytes += part.byteLength;
    for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) lines += 1;
  }
  return { lines, bytes, firstMs };
}

async function msOf(act: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await act();
  return performance.now() - startedMs;
}

function endOfMonth(first: Date): string {
  return new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).toISOString().slice(0, 10);
}
