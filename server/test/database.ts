import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { databaseAt, execute, templateName } from './global-setup.ts';

export interface TestDatabase {
  readonly connectionString: string;
  drop(): Promise<void>;
}

/** A new clone of the template: migrated, with the first administrator, and only for this test. */
export async function cloneDatabase(version: '15' | '18' = '18'): Promise<TestDatabase> {
  const server = inject('postgres')[version];
  const name = `test_${randomBytes(6).toString('hex')}`;
  await execute(server, `create database ${name} template ${templateName}`);
  return {
    connectionString: databaseAt(server, name),
    drop: () => execute(server, `drop database ${name} with (force)`),
  };
}
