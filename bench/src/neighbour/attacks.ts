import { connect, type Socket } from 'node:net';

/** The attacking tenant: a user's token, and rooms on a meeting server with oversized responses. */
export interface Attacker {
  readonly url: string;
  readonly token: string;
  readonly roomId: string;
  readonly customerId: string;
}

/** Repeats until the signal aborts. Failed requests are expected and ignored. */
export type Attack = (attacker: Attacker, signal: AbortSignal) => Promise<void>;

/** Attacks by one tenant within its rights. */
export const attacks: Readonly<Record<string, Attack>> = {
  'nested includes': (attacker, signal) =>
    repeat(12, attacker, signal, [
      '/rooms?limit=1000&include=customer.rooms.customer.rooms',
      '/customers?limit=1&include=rooms.customer.rooms',
      '/users?limit=50&include=customers.users.customers.users',
      '/rooms?limit=1000&include=tokens,access_codes,users,owner,account.subscription,customer.accounts',
    ]),
  'all rooms as streams': (attacker, signal) => repeat(12, attacker, signal, ['/rooms?limit=0&include=customer']),
  'unread streams': (attacker, signal) =>
    holdSockets(12, attacker, signal, (socket) => {
      socket.write(requestOf(attacker, '/api/v1/rooms?limit=0&include=customer,account.subscription,users'));
      socket.pause();
    }),
  'costly searches': (attacker, signal) => {
    const words = (count: number, length: number) =>
      Array.from({ length: count }, (_, index) => `${index}`.padStart(length, 'x')).join('%20');
    return repeat(12, attacker, signal, [
      `/rooms?limit=1000&search=${words(10, 45)}`,
      `/rooms?search=${words(1000, 4)}`,
      `/rooms?orderBy=${'id,'.repeat(1700)}`,
      '/rooms?limit=1000&orderBy=room_name,slug,status&skipCache=true',
    ]);
  },
  'stored responses': (attacker, signal) => repeatPosts(12, attacker, signal),
  'slow sockets': (attacker, signal) =>
    holdSockets(300, attacker, signal, (socket) => {
      socket.write('GET /api/v1/rooms HTTP/1.1\r\n');
      const timer = setInterval(() => socket.write(`x-${Date.now() % 1000}: 1\r\n`), 1000);
      socket.once('close', () => clearInterval(timer));
    }),
  'oversized responses of a meeting server': (attacker, signal) =>
    repeat(8, attacker, signal, [`/rooms/${attacker.roomId}/status`]),
};

/** All attacks at the same time. */
export async function runAllAttacks(attacker: Attacker, signal: AbortSignal): Promise<void> {
  await Promise.all(Object.values(attacks).map((attack) => attack(attacker, signal)));
}

async function repeat(
  loopCount: number,
  attacker: Attacker,
  signal: AbortSignal,
  paths: readonly string[],
): Promise<void> {
  await runLoops(loopCount, signal, async (turn) => {
    const path = paths[turn % paths.length] ?? '/';
    const answer = await fetch(`${attacker.url}/api/v1${path}`, { headers: bearerHeaders(attacker), signal });
    await drain(answer);
    return answer.ok;
  });
}

async function repeatPosts(loopCount: number, attacker: Attacker, signal: AbortSignal): Promise<void> {
  const account_metadata = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`k${index}`, 'x'.repeat(290)]),
  );
  await runLoops(loopCount, signal, async (turn) => {
    const answer = await fetch(`${attacker.url}/api/v1/rooms/${attacker.roomId}/tokens`, {
      method: 'POST',
      headers: {
        ...bearerHeaders(attacker),
        'content-type': 'application/json',
        'idempotency-key': `${process.pid}-${turn}-${Math.random()}`,
      },
      body: JSON.stringify({ role: 'attendee', name: 'Board', ignored: account_metadata }),
      signal,
    });
    await drain(answer);
    return answer.ok;
  });
}

const pauseMs = 50;
/** Respects `Retry-After`: floods of refused requests are the rate limiter's task. */
const pauseAfterRefusalMs = 1000;

/** @param act resolves to whether the request was served */
async function runLoops(
  loopCount: number,
  signal: AbortSignal,
  act: (turn: number) => Promise<boolean>,
): Promise<void> {
  let turn = 0;
  const loop = async () => {
    while (!signal.aborted) {
      const isServed = await act(turn++).catch(() => false);
      await pause(isServed ? pauseMs : pauseAfterRefusalMs, signal);
    }
  };
  await Promise.all(Array.from({ length: loopCount }, loop));
}

/** Keeps this number of sockets open and reopens closed ones. */
async function holdSockets(
  count: number,
  { url }: Attacker,
  signal: AbortSignal,
  begin: (socket: Socket) => void,
): Promise<void> {
  const { hostname, port } = new URL(url);
  await runLoops(count, signal, async () => {
    const socket = connect(Number(port), hostname, () => begin(socket));
    const end = () => socket.destroy();
    signal.addEventListener('abort', end, { once: true });
    await new Promise<void>((resolve) => {
      socket.on('error', () => undefined);
      socket.once('close', () => resolve());
    });
    signal.removeEventListener('abort', end);
    return false;
  });
}

function requestOf(attacker: Attacker, path: string): string {
  const fields = [
    `GET ${path} HTTP/1.1`,
    `host: ${new URL(attacker.url).host}`,
    `authorization: Bearer ${attacker.token}`,
  ];
  return [...fields, '', ''].join('\r\n');
}

function bearerHeaders({ token }: Attacker): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

async function drain(answer: Response): Promise<void> {
  if (!answer.body) return;
  for await (const chunk of answer.body) void chunk;
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
  });
}
