import { Client } from 'pg';
import {
  attachOrStartEmbeddedPostgres,
  startEmbeddedPostgres,
  startThrowawayPostgres,
} from '../src/database/embedded/embedded.ts';

// Run as a process of its own: `start | attach | write <data directory>` or `throwaway`. It prints its progress line by
// line.

const [, , action, dataDir = ''] = process.argv;
const logger = { debug: () => undefined, warn: tell('warning'), error: tell('error') };

try {
  const postgres =
    action === 'throwaway'
      ? await startThrowawayPostgres()
      : action === 'attach'
        ? await attachOrStartEmbeddedPostgres({ dataDir, logger })
        : await startEmbeddedPostgres({ dataDir, logger });
  const heartbeat = setInterval(() => undefined, 1000);
  const stop = async () => {
    clearInterval(heartbeat);
    tell('database')(await answer(postgres.connectionString));
    await postgres.stop();
    tell('stopped')('');
    process.exit();
  };
  process.once('SIGINT', () => void stop());
  process.once('SIGTERM', () => void stop());
  tell('ready')(postgres.connectionString);
  if (action === 'write') await write(postgres.connectionString);
} catch (error) {
  tell('refused')(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

/** Commits rows one by one, and prints each after its commit. */
async function write(connectionString: string): Promise<void> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('create table if not exists rows (number bigserial primary key, filler text)');
  for (;;) {
    const { rows } = await client.query<{ number: string }>(
      `insert into rows (filler) values (repeat('x', 500)) returning number`,
    );
    tell('row')(rows[0]?.number ?? '');
  }
}

async function answer(connectionString: string): Promise<string> {
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ answer: string }>(`select 'still here' as answer`);
  await client.end();
  return rows[0]?.answer ?? '';
}

function tell(event: string): (text: string) => void {
  return (text) => void process.stdout.write(`${event} ${text}\n`);
}
