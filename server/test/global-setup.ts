import pino from 'pino';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { createApp, seedInitialData } from '../src/app.ts';
import { startThrowawayPostgres } from '../src/database/embedded/embedded.ts';
import { migrate, readMigrations } from '../src/database/migrate.ts';
import { generateSecretKey, printSecretKeys } from '../src/platform/crypto/secret-box.ts';
import { firstAdmin } from './first-admin.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Servers with a seeded template database, by major version. */
    postgres: Record<'15' | '18', string>;
    secretKeys: string;
  }
}

export const templateName = 'foyer_template';

/** Starts PostgreSQL in the newest and in the oldest supported version for all test files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const key = generateSecretKey();
  const [newest, oldest] = await Promise.all([
    startThrowawayPostgres(),
    startThrowawayPostgres({ packageName: `postgres-15-${process.platform}-${process.arch}` }),
  ]);
  await Promise.all([newest, oldest].map(({ connectionString }) => makeTemplate(connectionString)));
  project.provide('postgres', { '18': newest.connectionString, '15': oldest.connectionString });
  project.provide('secretKeys', printSecretKeys([key]));
  return async () => {
    await Promise.all([newest.stop(), oldest.stop()]);
  };

  async function makeTemplate(server: string): Promise<void> {
    await execute(server, `create database ${templateName}`);
    const connectionString = databaseAt(server, templateName);
    const client = new Client({ connectionString });
    await client.connect();
    await migrate(client, await readMigrations());
    await client.end();
    const app = await createApp({
      connectionString,
      secretKeys: [key],
      logger: pino({ level: 'silent' }),
      fallbackUrl: () => 'http://127.0.0.1',
      publicUrl: null,
    });
    await seedInitialData(app, { firstAdmin });
    await app.close();
  }
}

export function databaseAt(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

export async function execute(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
