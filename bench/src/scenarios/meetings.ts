import { startSandbox } from '@foyer/sandbox';
import { type Client, createClient } from '@foyer/sdk';
import type { App } from '../../../server/src/app.ts';
import { type FixedClock, fixedClock } from '../../../server/src/platform/time/clock.ts';
import { newUuid } from '../../../server/src/platform/identity/identifier.ts';
import { addAccount, addProvider, addRoom, type Sandbox, signUrl } from '../bench-sandbox.ts';
import { withClient } from '../database.ts';
import { recordQueries } from '../measure/record-statements.ts';
import { createBenchApp, type Installation } from '../create-bench-app.ts';
import { median } from '../measure/median.ts';
import { runJob } from '../../../server/src/modules.ts';

export interface MeetingsOptions {
  readonly installation: Installation;
  readonly url: string;
  readonly token: string;
  readonly rounds: number;
}

/** The number of rooms, providers and participants per meeting. */
const counts = { rooms: 10_000, providers: 10, participants: 2 };

/** Measures the reconciliation of ten thousand meetings. The meeting servers run in the same process as the job. */
export async function benchMeetings(options: MeetingsOptions): Promise<string> {
  return await measureReconciliation(options, createClient({ baseUrl: options.url, token: options.token }));
}

async function measureReconciliation({ installation, rounds }: MeetingsOptions, admin: Client): Promise<string> {
  const clock = fixedClock(new Date().toISOString());
  const app = await createBenchApp(installation, clock);
  await admin.updateSettings({ body: { meeting_webhooks: false, provider_timeout_ms: 30_000 } });
  const sandboxes: Sandbox[] = [];
  try {
    for (let index = 0; index < counts.providers; index++) {
      const sandbox = await startSandbox({ port: 0, now: () => clock.nowMs() });
      sandboxes.push(sandbox);
      await openMeetings(admin, installation, sandbox, counts.rooms / counts.providers);
    }
    const afterJoins = await runSync(app, clock);
    const calls = sandboxes.reduce(
      (sum, { control }) => sum + control.calls().filter(({ call }) => call === 'getMeetings').length,
      0,
    );
    const newMinute: Figures[] = [];
    const unchanged: Figures[] = [];
    for (let round = 0; round < rounds; round++) {
      clock.advance({ seconds: 61 });
      newMinute.push(await runSync(app, clock));
      unchanged.push(await runSync(app, clock));
    }
    const printMedian = (all: readonly Figures[]) =>
      printFigures({
        ms: median(all.map(({ ms }) => ms)),
        statements: median(all.map(({ statements }) => statements)),
      });
    return [
      `Reconciliation of ${counts.rooms} meetings on ${counts.providers} providers, ${counts.participants} participants in each; ${calls} requests for lists in the first run`,
      `  all participants have joined: ${printFigures(afterJoins)}`,
      `  a minute has passed:          ${printMedian(newMinute)}`,
      `  no changes:                   ${printMedian(unchanged)}`,
    ].join('\n');
  } finally {
    await app.close();
    await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
  }
}

interface Figures {
  readonly ms: number;
  readonly statements: number;
}

function printFigures({ ms, statements }: Figures): string {
  return `${ms.toFixed(0)} ms, ${statements} statements`;
}

async function runSync(app: App, clock: FixedClock): Promise<Figures> {
  const recorder = recordQueries();
  const startedMs = performance.now();
  const synced = await runJob(app.dependencies, 'sync-meetings');
  const ms = performance.now() - startedMs;
  const statements = recorder.take().length;
  recorder.end();
  if (synced < counts.rooms) throw new Error(`Only ${synced} meetings were reconciled at ${clock.now()}`);
  return { ms, statements };
}

/** Creates rooms with running meetings and participants on the sandbox. */
async function openMeetings(
  admin: Client,
  { connectionString }: Installation,
  sandbox: Sandbox,
  count: number,
): Promise<void> {
  const provider = await addProvider(admin, sandbox);
  const model = await addRoom(admin, await addAccount(admin, provider.id), 'Model');
  const ids = Array.from({ length: count }, () => newUuid());
  const lines: string[] = [];
  for (const id of ids) {
    const answer = await fetch(
      signUrl(sandbox, 'create', { name: 'Bench', meetingID: id, attendeePW: 'aaaa', moderatorPW: 'mmmm' }),
    );
    const text = await answer.text();
    lines.push(`${id},${/<internalMeetingID>(.*?)</.exec(text)?.[1]},${/<createTime>(.*?)</.exec(text)?.[1]}`);
    for (let index = 0; index < counts.participants; index++)
      sandbox.control.joinUser({ meetingID: id, fullName: `P${index}`, userID: `${id}-${index}` });
  }
  await withClient(connectionString, async (client) => {
    await client.query(
      `insert into rooms (id, customer_id, account_id, subscription_id, room_name, status, is_public, slug, room_type,
        created_at, updated_at)
      select created.id, room.customer_id, room.account_id, room.subscription_id, 'Observed', 'active', false, 'observed',
        room.room_type, room.created_at, room.created_at
      from rooms room, unnest($2::uuid[]) created(id) where room.id = $1`,
      [model.uuid, ids],
    );
    await client.query(
      `insert into meetings (id, room_id, customer_id, subscription_id, service_provider_id, provider_meeting_id,
        provider_internal_id, provider_created_at, state, started_at, created_at, updated_at)
      select gen_random_uuid(), room.id, room.customer_id, room.subscription_id, $1, room.id,
        split_part(created.line, ',', 2), split_part(created.line, ',', 3)::bigint, 'open', room.created_at, room.created_at,
        room.created_at
      from unnest($2::text[]) created(line) join rooms room on room.id = split_part(created.line, ',', 1)::uuid`,
      [provider.uuid, lines],
    );
  });
}
