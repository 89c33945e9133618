import { createClient } from '@foyer/sdk';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Installation } from '../create-bench-app.ts';
import { median } from '../measure/median.ts';
import { createTenantAccount } from '../create-tenant.ts';

export interface RoomPageOptions {
  readonly installation: Installation;
  readonly url: string;
  readonly token: string;
  readonly rounds: number;
}

const visitsPerRound = 200;

/**
 * Measures size and latency of a room page, compared with a server that sends the same bytes from memory. Absolute
 * times depend on the machine, so compare the ratio of the two between runs.
 */
export async function benchRoomPage({ installation, url, token, rounds }: RoomPageOptions): Promise<string> {
  const path = await createPublicRoom(url, token, installation.publicUrl);
  const page = await fetchText(`${url}${path}`);
  const files = [...page.matchAll(/(?:href|src)="(\/rooms\/assets\/[^"]+)"/g)].map(([, file = '']) => file);
  const sizes = await Promise.all(
    files.map(async (file) => ({ file, bytes: Buffer.byteLength(await fetchText(`${url}${file}`)) })),
  );
  const externalCount = [...page.matchAll(/(?:src|href)="(https?:)?\/\//g)].length;
  const memoryServer = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
  });
  await new Promise<void>((resolve) => void memoryServer.listen(0, '127.0.0.1', resolve));
  const memoryUrl = `http://127.0.0.1:${(memoryServer.address() as AddressInfo).port}`;
  const figures = { foyer: [] as Timing[], memory: [] as Timing[] };
  try {
    await visit(`${url}${path}`);
    for (let round = 0; round < rounds; round++) {
      figures.foyer.push(await visit(`${url}${path}`));
      figures.memory.push(await visit(`${memoryUrl}${path}`));
    }
  } finally {
    memoryServer.close();
  }
  const medianOf = (name: 'foyer' | 'memory', part: keyof Timing) =>
    median(figures[name].map((timing) => timing[part]));
  return [
    `Room page: 1 document of ${kilobytes(Buffer.byteLength(page))}, ${files.length} own files, ${externalCount} external ones`,
    ...sizes.map(({ file, bytes }) => `  ${kilobytes(bytes).padStart(8)}  ${file.split('?')[0]}`),
    `A new connection for each of ${visitsPerRound} visits, ${rounds} rounds, medians`,
    `  Foyer:       first byte ${printMs(medianOf('foyer', 'firstByteMs'))}, whole document ${printMs(medianOf('foyer', 'wholeMs'))}`,
    `  from memory: first byte ${printMs(medianOf('memory', 'firstByteMs'))}, whole document ${printMs(medianOf('memory', 'wholeMs'))}`,
  ].join('\n');
}

interface Timing {
  readonly firstByteMs: number;
  readonly wholeMs: number;
}

async function visit(url: string): Promise<Timing> {
  const firstByteTimes: number[] = [];
  const wholeTimes: number[] = [];
  for (let index = 0; index < visitsPerRound; index++) {
    const timing = await new Promise<Timing>((resolve, reject) => {
      const startedMs = performance.now();
      get(url, { agent: false }, (answer) => {
        let firstByteMs = Number.NaN;
        answer.once('data', () => (firstByteMs = performance.now() - startedMs));
        answer.on('end', () => resolve({ firstByteMs, wholeMs: performance.now() - startedMs }));
      }).on('error', reject);
    });
    firstByteTimes.push(timing.firstByteMs);
    wholeTimes.push(timing.wholeMs);
  }
  return { firstByteMs: median(firstByteTimes), wholeMs: median(wholeTimes) };
}

/** Creates a public room with its provider, customer and account. @returns its path. */
async function createPublicRoom(url: string, token: string, publicUrl: string): Promise<string> {
  const admin = createClient({ baseUrl: url, token });
  const { data: provider } = await admin.createServiceProvider({
    body: {
      provider_name: 'Bench',
      provider_type: 'bigbluebutton',
      properties: { host_url: 'http://127.0.0.1:9/bigbluebutton/api', secret: 'no-server-there' },
    },
  });
  const account = await createTenantAccount(admin, provider.id, {
    max_accounts: '1',
    max_rooms: '1',
    guest_access: 'true',
  });
  const { data: room } = await admin.createRoom({
    body: {
      room_name: 'Harbour view',
      account_id: account,
      is_public: true,
      room_settings: { description: 'Every Tuesday at ten we look at the week: bring your questions.' },
    },
  });
  return room.url.slice(publicUrl.length);
}

async function fetchText(url: string): Promise<string> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${answer.status} for ${url}`);
  return await answer.text();
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} kB`;
}

function printMs(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}
