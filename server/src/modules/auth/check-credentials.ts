import type { Population } from '@foyer/contract/endpoint.ts';
import type { Database } from '../../database/connect.ts';
import { verifyPassword } from '../../platform/password.ts';
import { findAdminByName } from '../admins/index.ts';
import { findUserByEmail, type Owner } from './store.ts';

/** The owner of the name and password, or null. An unknown name costs as much time as a wrong password. */
export async function checkCredentials(
  db: Database,
  population: Population,
  name: string,
  password: string,
): Promise<Owner | null> {
  const person = population === 'admins' ? await findAdminByName(db, name) : await findUserByEmail(db, name);
  const matches = await verifyPassword(person?.password_hash ?? null, password);
  if (!person || !matches || person.status !== 'active') return null;
  return { population, id: person.id, name: person.email };
}
