import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import type { NotificationKind } from '@foyer/contract/resources/platform/notification.ts';
import { sql } from 'kysely';
import type { Tx } from '../../events/change.ts';
import { parseAnyIdentifier, type Uuid } from '../../platform/identity/identifier.ts';
import type { MailContents } from '../mail/index.ts';
import { fullAdminRole } from '../roles/index.ts';
import type { NotificationRow } from './store.ts';

export interface Recipient {
  /** Null for an address without an account. */
  readonly population: 'admins' | 'users' | null;
  /** The id of the account; for an address without an account, its hash. */
  readonly id: string;
  readonly email: string;
  readonly locale: string;
  readonly timezone: string;
}

/** The contents of the mail to one recipient. */
export interface ComposedNotification {
  readonly recipient: Recipient;
  readonly contents: MailContents;
}

interface AccountRow extends Recipient {
  readonly settings: { readonly notifications?: Readonly<Record<string, unknown>> };
}

/** The active administrators and users who get the notification and have not switched it off. */
export async function findRecipients(
  tx: Tx,
  { kind, customer_id: customerId, details }: NotificationRow,
): Promise<Recipient[]> {
  const accounts = await findAccounts(tx, kind, customerId, details);
  return accounts.filter(({ settings }) => settings.notifications?.[kind] !== false);
}

async function findAccounts(
  tx: Tx,
  kind: NotificationKind,
  customerId: Uuid | null,
  details: NotificationRow['details'],
): Promise<AccountRow[]> {
  if (kind === 'new_device') return await findSignedInAccount(tx, details);
  if (kind === 'provider_down' || kind === 'provider_up') return await listAdminsWith(tx, 'read-service-providers');
  if (kind === 'webhook_disabled' && customerId === null) return await listAdminsWith(tx, 'read-webhooks');
  if (customerId === null) return [];
  const roomId = parseAnyIdentifier(String(details['roomId'] ?? ''))?.uuid ?? null;
  const roomOwners = roomId === null ? [] : await findOwner(tx, 'room', roomId);
  return roomOwners.length > 0 ? roomOwners : await findOwner(tx, 'customer', customerId);
}

async function findSignedInAccount(tx: Tx, { population, ownerId }: NotificationRow['details']): Promise<AccountRow[]> {
  const isAdmin = population === 'admins';
  const { rows } = await sql<AccountRow>`
    select ${population}::text as population, id, email, locale, timezone,
      ${sql.ref(isAdmin ? 'admin_settings' : 'user_settings')} as settings
    from ${sql.table(isAdmin ? 'admins' : 'users')} where id = ${ownerId}::uuid and status = 'active'
  `.execute(tx);
  return rows;
}

async function listAdminsWith(tx: Tx, permission: PermissionName): Promise<AccountRow[]> {
  const { rows } = await sql<AccountRow>`
    select 'admins' as population, id, email, locale, timezone, admin_settings as settings
    from admins where status = 'active' and exists (
      select from admin_roles held
      join roles role on role.id = held.role_id
      left join role_permissions granted on granted.role_id = held.role_id
      left join permissions permission on permission.id = granted.permission_id
      where held.admin_id = admins.id and (role.name = ${fullAdminRole} or permission.name = ${permission})
    )
    order by id
  `.execute(tx);
  return rows;
}

async function findOwner(tx: Tx, level: 'customer' | 'room', id: Uuid): Promise<AccountRow[]> {
  const { rows } = await sql<AccountRow>`
    select 'users' as population, users.id, email, locale, timezone, user_settings as settings
    from ${sql.table(`${level}_users`)} membership join users on users.id = membership.user_id
    where ${sql.ref(`membership.${level}_id`)} = ${id} and membership.owner and users.status = 'active'
  `.execute(tx);
  return rows;
}
