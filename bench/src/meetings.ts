import { startSandbox } from '@foyer/sandbox';
import { type Client, createClient } from '@foyer/sdk';
import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { buildHouse, type House } from '../../server/src/compose.ts';
import { syncMeetings } from '../../server/src/modules/meetings/jobs.ts';
import { type FixedClock, fixedClock } from '../../server/src/platform/clock.ts';
import { newUuid } from '../../server/src/platform/identifier.ts';
import { parseSecretKeys } from '../../server/src/platform/secret-box.ts';
import { withClient } from './database.ts';
import { median } from './median.ts';
import { openAccount } from './open-account.ts';
import type { Place } from './record-statements.ts';

export interface MeetingsOptions {
  readonly place: Place;
  readonly url: string;
  readonly token: string;
  readonly rounds: number;
  readonly seconds: number;
}

const connections = 16;
const roomsToJoin = 50;
/** Rooms whose meetings are looked after, on so many providers, with so many people in each. */
const observed = { rooms: 10_000, providers: 10, people: 2 };

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/**
 * Joins through Foyer beside joins of the meeting server alone, and what it takes to look after ten thousand meetings.
 * The meeting servers share the process of the load: ratios count.
 */
export async function benchMeetings(options: MeetingsOptions): Promise<string> {
  const admin = createClient({ baseUrl: options.url, token: options.token });
  return [await joinFigures(options, admin), await observationFigures(options, admin)].join('\n');
}

async function joinFigures({ rounds, seconds, token, url }: MeetingsOptions, admin: Client): Promise<string> {
  const sandbox = await startSandbox({ port: 0 });
  try {
    const { rooms } = await addRooms(admin, sandbox, roomsToJoin);
    for (const { id } of rooms)
      await admin.joinRoom({ params: { room_id: id }, body: { name: 'First', role: 'moderator' } });
    const throughFoyer = async (index: number) => {
      const room = rooms[index % rooms.length];
      const answer = await fetch(`${url}/api/v1/rooms/${room?.id}/join`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: `P${index}`, role: 'attendee' }),
      });
      const { data } = (await answer.json()) as { data: { url: string } };
      await follow(data.url);
    };
    const alone = async (index: number) => {
      const room = rooms[index % rooms.length];
      await follow(signed(sandbox, 'join', { fullName: `P${index}`, meetingID: room?.uuid ?? '', role: 'VIEWER' }));
    };
    const figures: { foyer: number; alone: number }[] = [];
    for (let round = 0; round < rounds; round++)
      figures.push({ foyer: await perSecond(throughFoyer, seconds), alone: await perSecond(alone, seconds) });
    const [foyer, bare] = [median(figures.map((each) => each.foyer)), median(figures.map((each) => each.alone))];
    return [
      `Joins, ${connections} at once, into ${roomsToJoin} meetings that run, up to the address of the meeting's page`,
      `  through Foyer:            ${foyer.toFixed(0)}/s`,
      `  the meeting server alone: ${bare.toFixed(0)}/s`,
      `  ratio: ${median(figures.map((each) => each.foyer / each.alone)).toFixed(2)}`,
    ].join('\n');
  } finally {
    await sandbox.close();
  }
}

async function follow(address: string): Promise<void> {
  const answer = await fetch(address, { redirect: 'manual' });
  await answer.arrayBuffer();
  if (!answer.headers.get('location')?.includes('sessionToken')) throw new Error(`nobody was let in: ${answer.status}`);
}

async function perSecond(act: (index: number) => Promise<void>, seconds: number): Promise<number> {
  const began = performance.now();
  const until = began + seconds * 1000;
  let done = 0;
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        await act(next++);
        done += 1;
      }
    }),
  );
  return done / ((performance.now() - began) / 1000);
}

async function observationFigures({ place, rounds }: MeetingsOptions, admin: Client): Promise<string> {
  const clock = fixedClock(new Date().toISOString());
  const keys = parseSecretKeys(place.secretKeys);
  const house = await buildHouse({
    connectionString: place.connectionString,
    secretKeys: keys.ok ? keys.keys : [],
    logger: pino({ level: 'silent' }),
    clock,
    fallbackUrl: () => place.publicUrl,
    publicUrl: place.publicUrl,
  });
  await admin.updateSettings({ body: { meeting_webhooks: false, provider_timeout_ms: 30_000 } });
  const sandboxes: Sandbox[] = [];
  try {
    for (let index = 0; index < observed.providers; index++) {
      const sandbox = await startSandbox({ port: 0, now: () => clock.nowMs() });
      sandboxes.push(sandbox);
      await openMeetings(admin, place, sandbox, observed.rooms / observed.providers);
    }
    const arrivals = await look(house, clock);
    const calls = sandboxes.reduce(
      (sum, { control }) => sum + control.calls().filter(({ call }) => call === 'getMeetings').length,
      0,
    );
    const minutes: Figures[] = [];
    const nothing: Figures[] = [];
    for (let round = 0; round < rounds; round++) {
      clock.advance({ minutes: 1 });
      minutes.push(await look(house, clock));
      nothing.push(await look(house, clock));
    }
    const middle = (all: readonly Figures[]) =>
      tell({ ms: median(all.map(({ ms }) => ms)), statements: median(all.map(({ statements }) => statements)) });
    return [
      `Looking after ${observed.rooms} meetings on ${observed.providers} providers, ${observed.people} people in each; ${calls} requests for lists in the first run`,
      `  all of them have come:      ${tell(arrivals)}`,
      `  a minute has passed:        ${middle(minutes)}`,
      `  nothing is new:             ${middle(nothing)}`,
    ].join('\n');
  } finally {
    await house.close();
    await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
  }
}

interface Figures {
  readonly ms: number;
  readonly statements: number;
}

function tell({ ms, statements }: Figures): string {
  return `${ms.toFixed(0)} ms, ${statements} statements`;
}

async function look(house: House, clock: FixedClock): Promise<Figures> {
  const { pool } = house.connection;
  let statements = 0;
  const clients = new Map<object, unknown>();
  const count = (client: { query: unknown }) => {
    if (clients.has(client)) return;
    const { query } = client;
    clients.set(client, query);
    client.query = (...given: unknown[]) => {
      statements += 1;
      return Reflect.apply(query as (...all: unknown[]) => unknown, client, given);
    };
  };
  pool.on('acquire', count);
  const began = performance.now();
  const looked = await syncMeetings(house.dependencies);
  const ms = performance.now() - began;
  pool.removeListener('acquire', count);
  for (const [client, query] of clients) Object.assign(client, { query });
  if (looked < observed.rooms) throw new Error(`only ${looked} meetings were looked at, at ${clock.now()}`);
  return { ms, statements };
}

/** Meetings on the sandbox that the platform knows, with people in them, each of a room of its own. */
async function openMeetings(
  admin: Client,
  { connectionString }: Place,
  sandbox: Sandbox,
  count: number,
): Promise<void> {
  const { rooms, provider } = await addRooms(admin, sandbox, 1);
  const ids = Array.from({ length: count }, () => newUuid());
  const lines: string[] = [];
  for (const id of ids) {
    const answer = await fetch(
      signed(sandbox, 'create', { name: 'Bench', meetingID: id, attendeePW: 'aaaa', moderatorPW: 'mmmm' }),
    );
    const text = await answer.text();
    lines.push(`${id},${/<internalMeetingID>(.*?)</.exec(text)?.[1]},${/<createTime>(.*?)</.exec(text)?.[1]}`);
    for (let index = 0; index < observed.people; index++)
      sandbox.control.joinUser({ meetingID: id, fullName: `P${index}`, userID: `${id}-${index}` });
  }
  await withClient(connectionString, async (client) => {
    await client.query(
      `insert into rooms (id, customer_id, account_id, subscription_id, room_name, status, is_public, slug, room_type,
        created_at, updated_at)
      select made.id, room.customer_id, room.account_id, room.subscription_id, 'Observed', 'active', false, 'observed',
        room.room_type, room.created_at, room.created_at
      from rooms room, unnest($2::uuid[]) made(id) where room.id = $1`,
      [rooms[0]?.uuid, ids],
    );
    await client.query(
      `insert into meetings (id, room_id, customer_id, subscription_id, service_provider_id, provider_meeting_id,
        provider_internal_id, provider_created_at, state, started_at, created_at, updated_at)
      select gen_random_uuid(), room.id, room.customer_id, room.subscription_id, $1, room.id,
        split_part(made.line, ',', 2), split_part(made.line, ',', 3)::bigint, 'open', room.created_at, room.created_at,
        room.created_at
      from unnest($2::text[]) made(line) join rooms room on room.id = split_part(made.line, ',', 1)::uuid`,
      [provider, lines],
    );
  });
}

function signed({ apiUrl, secret }: Sandbox, call: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString();
  const checksum = createHash('sha256').update(`${call}${query}${secret}`).digest('hex');
  return `${apiUrl}/${call}?${query}&checksum=${checksum}`;
}

/** A provider on that sandbox, sold to a customer of its own, with so many rooms. */
async function addRooms(
  admin: Client,
  sandbox: Sandbox,
  count: number,
): Promise<{ provider: string; rooms: { id: string; uuid: string }[] }> {
  const { data: provider } = await admin.createServiceProvider({
    body: {
      provider_name: `Bench ${sandbox.url}`,
      provider_type: 'bigbluebutton',
      properties: { host_url: sandbox.apiUrl, secret: sandbox.secret },
    },
  });
  const account = await openAccount(admin, provider.id, {
    max_accounts: 'unlimited',
    max_rooms: 'unlimited',
    participant_minutes: '1000000000',
  });
  const rooms: { id: string; uuid: string }[] = [];
  for (let index = 0; index < count; index++) {
    const { data: room } = await admin.createRoom({ body: { room_name: `Room ${index}`, account_id: account } });
    rooms.push({ id: room.id, uuid: room.uuid });
  }
  return { provider: provider.uuid, rooms };
}
