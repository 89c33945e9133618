import { startSandbox } from '@foyer/sandbox';
import { type Client, createClient } from '@foyer/sdk';
import { Agent } from 'node:http';
import { join as joinPath } from 'node:path';
import { buildApi } from '../../../server/src/api.ts';
import { addAccount, addProvider, addRoom, type BenchRoom, type Sandbox, signUrl } from '../bench-sandbox.ts';
import type { Child } from '../child.ts';
import { withClient } from '../database.ts';
import { cpuMsBetween, databaseCpuMs, processCpuMs } from '../measure/database-cpu.ts';
import { createBenchApp, type Installation } from '../create-bench-app.ts';
import { median } from '../measure/median.ts';
import { recordQueries } from '../measure/record-statements.ts';
import { send } from '../measure/http-send.ts';

export interface JoinsOptions {
  readonly installation: Installation;
  readonly foyer: Child;
  readonly token: string;
  readonly rounds: number;
  readonly seconds: number;
  /** Folder for profiles; null writes none. */
  readonly profile: string | null;
}

const connections = 16;

const roomsToJoin = 50;

const joinKinds = {
  'one subscription, by a token': { isShared: true, credential: 'token' },
  'one subscription, by an API client': { isShared: true, credential: 'bearer' },
  'a subscription each, by a token': { isShared: false, credential: 'token' },
  'a subscription each, by an API client': { isShared: false, credential: 'bearer' },
} as const;

type JoinKind = keyof typeof joinKinds;

interface Figures {
  readonly perSecond: number;
  readonly serverMs: number | null;
  readonly databaseMs: number | null;
  readonly loadMs: number;
  /** Requests to the meeting server per join, without the join itself. */
  readonly requests: number;
}

interface Target {
  readonly room: BenchRoom;
  readonly token: string;
}

/**
 * Compares joins through Foyer with joins of the meeting server alone. Each figure uses fifty newly started meetings.
 * The meeting server runs in the process of the load.
 */
export async function benchJoins(options: JoinsOptions): Promise<string> {
  const { foyer, token, rounds, seconds, installation, profile } = options;
  const admin = createClient({ baseUrl: foyer.url, token });
  const sandbox = await startSandbox({ port: 0 });
  const agent = new Agent({ keepAlive: true, maxSockets: connections * 2 });
  try {
    const provider = await addProvider(admin, sandbox);
    const accounts: string[] = [];
    for (let index = 0; index < roomsToJoin; index++) accounts.push(await addAccount(admin, provider.id));
    const openTargets = async (kind: JoinKind) => await openRooms(admin, accounts, joinKinds[kind].isShared);
    const throughFoyer = (kind: JoinKind, targets: readonly Target[]) => async (index: number) => {
      const target = targets[index % targets.length];
      if (!target) return;
      const { headers, body } = requestOf(joinKinds[kind].credential, target, token, index);
      const answer = await send(agent, `${foyer.url}/api/v1/rooms/${target.room.id}/join`, {
        method: 'POST',
        headers,
        body,
      });
      if (answer.status !== 200) throw new Error(`The join was refused: ${answer.body}`);
      await openClient(agent, sandbox, (JSON.parse(answer.body) as { data: { url: string } }).data.url);
    };
    const figures = new Map<JoinKind | 'alone', Figures[]>(
      [...(Object.keys(joinKinds) as JoinKind[]), 'alone' as const].map((kind) => [kind, []]),
    );
    await withClient(installation.connectionString, async (client) => {
      // The first round warms up, and is not counted.
      for (let round = 0; round <= rounds; round++) {
        for (const [kind, measurements] of figures) {
          const act =
            kind === 'alone' ? await joinDirectly(agent, sandbox) : throughFoyer(kind, await openTargets(kind));
          // Idle connections may be closed by the server when they are reused.
          agent.destroy();
          const measuredProcesses = { client, foyer: kind === 'alone' ? null : foyer, sandbox };
          const measured = await measure(measuredProcesses, act, round === 0 ? 1 : seconds);
          if (round > 0) measurements.push(measured);
        }
      }
      if (profile !== null) {
        for (const kind of Object.keys(joinKinds) as JoinKind[]) {
          const act = throughFoyer(kind, await openTargets(kind));
          agent.destroy();
          await foyer.startProfile();
          await measure({ client, foyer, sandbox }, act, seconds);
          await foyer.endProfile(joinPath(profile, `foyer-join-${kind.replaceAll(/\W+/g, '-')}.cpuprofile`));
        }
      }
    });
    agent.destroy();
    const statements = await recordStatements(
      options,
      await openTargets('one subscription, by a token'),
      agent,
      sandbox,
    );
    return printFigures(figures, statements);
  } finally {
    agent.destroy();
    await sandbox.close();
  }
}

/** Creates fifty rooms with a shared token and a running meeting each. */
async function openRooms(admin: Client, accounts: readonly string[], isShared: boolean): Promise<Target[]> {
  const targets: Target[] = [];
  for (const [index, account] of accounts.entries()) {
    const room = await addRoom(admin, isShared ? (accounts[0] ?? account) : account, `Room ${index}`);
    const params = { room_id: room.id };
    const { data } = await admin.createRoomToken({ params, body: { role: 'attendee', name: 'Everybody' } });
    await admin.joinRoom({ params, body: { name: 'First', role: 'moderator' } });
    targets.push({ room, token: data.token ?? '' });
  }
  return targets;
}

function requestOf(credential: 'token' | 'bearer', target: Target, bearer: string, index: number) {
  const body = credential === 'token' ? { token: target.token } : { role: 'attendee' };
  return {
    body: JSON.stringify({ name: `P${index}`, ...body }),
    headers: {
      'content-type': 'application/json',
      ...(credential === 'bearer' ? { authorization: `Bearer ${bearer}` } : {}),
    },
  };
}

async function joinDirectly(agent: Agent, sandbox: Sandbox): Promise<(index: number) => Promise<void>> {
  const ids = Array.from({ length: roomsToJoin }, () => crypto.randomUUID());
  agent.destroy();
  for (const id of ids)
    await send(
      agent,
      signUrl(sandbox, 'create', { name: 'Bench', meetingID: id, attendeePW: 'aaaa', moderatorPW: 'mmmm' }),
      { method: 'GET' },
    );
  return (index) => {
    const meetingID = ids[index % ids.length] ?? '';
    return openClient(
      agent,
      sandbox,
      signUrl(sandbox, 'join', { fullName: `P${index}`, meetingID, userID: crypto.randomUUID(), role: 'VIEWER' }),
    );
  };
}

/** Follows the join URL and connects the user to the meeting. */
async function openClient(agent: Agent, sandbox: Sandbox, address: string): Promise<void> {
  const { status, location = '' } = await send(agent, address, { method: 'GET' });
  const sessionToken = new URL(location, address).searchParams.get('sessionToken');
  if (sessionToken === null) throw new Error(`The join was refused: ${status}`);
  sandbox.control.joinUser({ sessionToken });
}

async function measure(
  { client, foyer, sandbox }: { client: Parameters<typeof databaseCpuMs>[0]; foyer: Child | null; sandbox: Sandbox },
  act: (index: number) => Promise<void>,
  seconds: number,
): Promise<Figures> {
  const readUsage = async () => ({
    serverMs: foyer ? (await foyer.usage()).cpuMs : 0,
    database: await databaseCpuMs(client),
    loadMs: processCpuMs(),
  });
  const before = await readUsage();
  const startedMs = performance.now();
  const until = startedMs + seconds * 1000;
  let joinCount = 0;
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        await act(next++);
        joinCount += 1;
      }
    }),
  );
  const perSecond = joinCount / ((performance.now() - startedMs) / 1000);
  const after = await readUsage();
  const databaseMs = cpuMsBetween(before.database, after.database);
  return {
    perSecond,
    serverMs: foyer && (after.serverMs - before.serverMs) / joinCount,
    databaseMs: foyer && databaseMs !== null ? databaseMs / joinCount : null,
    loadMs: (after.loadMs - before.loadMs) / joinCount,
    requests: requestsPerJoin(sandbox),
  };
}

/** Computed from the sandbox's call log. */
function requestsPerJoin(sandbox: Sandbox): number {
  const calls = sandbox.control.calls();
  const joins = calls.filter(({ call }) => call === 'join').length;
  return (calls.length - joins) / joins;
}

/** Records the statements of one join after warm-up. */
async function recordStatements(
  { installation, token }: JoinsOptions,
  targets: readonly Target[],
  agent: Agent,
  sandbox: Sandbox,
): Promise<Record<'token' | 'bearer', string[]>> {
  const app = await createBenchApp(installation);
  const server = await buildApi(app, { requireHttps: false, trustProxy: false, tls: null });
  const recorder = recordQueries();
  try {
    const recordJoin = async (credential: 'token' | 'bearer') => {
      const [target] = targets;
      if (!target) return [];
      const { headers, body: payload } = requestOf(credential, target, token, 0);
      for (let time = 0; time < 3; time++) {
        recorder.take();
        const answer = await server.inject({
          method: 'POST',
          url: `/api/v1/rooms/${target.room.id}/join`,
          headers,
          payload,
        });
        if (answer.statusCode !== 200) throw new Error(`The join was refused: ${answer.body}`);
        // The next join records the participants of earlier ones.
        if (time < 2) await openClient(agent, sandbox, answer.json<{ data: { url: string } }>().data.url);
      }
      return recorder.take().map(({ text }) => text.replaceAll(/\s+/g, ' ').trim());
    };
    return { token: await recordJoin('token'), bearer: await recordJoin('bearer') };
  } finally {
    recorder.end();
    await server.close();
    await app.close();
  }
}

function printFigures(
  figures: ReadonlyMap<JoinKind | 'alone', readonly Figures[]>,
  statements: Record<'token' | 'bearer', string[]>,
): string {
  const alone = figures.get('alone') ?? [];
  const line = (...cells: string[]) =>
    `  ${cells[0]?.padEnd(40)}${cells
      .slice(1)
      .map((cell) => cell.padStart(11))
      .join('')}`;
  const lines = [...figures].map(([kind, rounds]) => {
    const medianOf = (digits: number, read: (one: Figures) => number | null) => {
      const values = rounds.map(read).filter((value) => value !== null);
      return values.length === 0 ? '-' : median(values).toFixed(digits);
    };
    return line(
      kind === 'alone' ? 'the meeting server alone' : kind,
      medianOf(0, ({ perSecond }) => perSecond),
      median(rounds.map((one, round) => one.perSecond / (alone[round] ?? one).perSecond)).toFixed(2),
      medianOf(2, ({ serverMs }) => serverMs),
      medianOf(2, ({ databaseMs }) => databaseMs),
      medianOf(2, ({ loadMs }) => loadMs),
      kind === 'alone' ? '-' : medianOf(2, ({ requests }) => requests),
      kind === 'alone' ? '-' : String(statements[joinKinds[kind].credential].length),
    );
  });
  return [
    `Joins, ${connections} at once, into ${roomsToJoin} running meetings, until the participant is connected`,
    '(CPU in milliseconds, requests to the meeting server and statements for each join; the statements of a single join)',
    line('', 'per second', 'ratio', 'server', 'database', 'load', 'requests', 'statements'),
    ...lines,
    '',
    'The statements of a join by a token',
    ...statements.token.map((text) => `    ${text}`),
  ].join('\n');
}
