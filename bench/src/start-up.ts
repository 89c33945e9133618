import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitForReadyUrl, serverProgram, stopProcess } from './child.ts';
import { median } from './measure/median.ts';
import { freePort } from '../../server/test/free-port.ts';

export interface StartUpFigures {
  /** With an empty folder: includes the creation of the database, the schema and the demo data. */
  readonly firstMs: number;
  /** Median of later starts with the same folder. */
  readonly warmMs: number;
}

/** Time from the command until database, API, worker and sandbox are ready. */
export async function measureStartUp(rounds: number): Promise<StartUpFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-bench-start-'));
  try {
    const firstMs = await startOnce(folder);
    const warm: number[] = [];
    for (let round = 0; round < rounds; round++) warm.push(await startOnce(folder));
    return { firstMs, warmMs: median(warm) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function startOnce(folder: string): Promise<number> {
  const environment = {
    ...process.env,
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    FOYER_MEDIA_PORT: '0',
    FOYER_SANDBOX_PORT: String(await freePort()),
    FOYER_DATA_DIR: join(folder, 'data'),
  };
  delete (environment as Record<string, string>)['DATABASE_URL'];
  const startedMs = performance.now();
  const child = spawn(process.execPath, [serverProgram, 'start'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await waitForReadyUrl(child, serverProgram, 'its log');
  const elapsedMs = performance.now() - startedMs;
  await stopProcess(child);
  return elapsedMs;
}
