import { Client } from 'pg';
import {
  attachOrStartEmbeddedPostgres,
  startEmbeddedPostgres,
  startThrowawayPostgres,
} from '../src/database/embedded/embedded.ts';

// Runs as a separate process: `start | attach | write <data directory>` or `throwaway`. It prints its progress line by
// line.

const [, , action, dataDir = ''] = process.argv;
const logger = { debug: () => undefined, warn: printEvent('warning'), error: printEvent('error') };

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
    printEvent('database')(await queryText(postgres.connectionString));
    await postgres.stop();
    printEvent('stopped')('');
    process.exit();
  };
  process.once('SIGINT', () => void stop());
  process.once('SIGTERM', () => void stop());
  printEvent('ready')(postgres.connectionString);
  if (action === 'write') await write(postgres.connectionString);
} catch (error) {
  printEvent('refused')(error instanceof Error ? error.message : String(error));
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
    printEvent('row')(rows[0]?.number ?? '');
  }
}

async function queryText(connectionString: string): Promise<string> {
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ answer: string }>(`select 'still here' as answer`);
  await client.end();
  return rows[0]?.answer ?? '';
}

function printEvent(event: string): (text: string) => void {
  return (text) => void process.stdout.write(`${event} ${text}\n`);
}
