import { IconApps, IconHistory, IconShieldLock, IconUserShield } from '@tabler/icons-react';
import { actionPhrase } from '../audit/action-phrase.ts';
import { type FieldOf, type Noun, text, textOrNull } from '../../../kit/noun/noun.ts';
import { Admin, AuditEntry, OauthClient, Role } from './kinds.table.ts';
import type { AdminRow, AuditEntryRow, OauthClientRow, RoleRow } from './rows.ts';

/** Every permission there is; it can be neither changed nor deleted. */
export const defaultRole = 'admin';

export const admins: Noun<AdminRow, FieldOf<'createAdmin' | 'updateAdmin'>> = {
  resource: Admin,
  path: 'admins',
  singular: 'administrator',
  plural: 'Administrators',
  summary: 'The people who run the platform. Their roles say what they may do.',
  emptyText: 'Add one for each person who runs the platform with you.',
  icon: IconUserShield,
  param: 'admin_id',
  list: 'listAdmins',
  read: 'readAdmin',
  create: 'createAdmin',
  update: 'updateAdmin',
  remove: 'deleteAdmin',
  titleOf: (row) => textOrNull(row, 'full_name') ?? text(row, 'username'),
  detailOf: (row) => text(row, 'username'),
  columns: ['full_name', 'username', 'email', 'roles', 'status', 'created_at'],
  relationships: { roles: 'Roles' },
  filters: ['status'],
  groups: [
    { title: 'Person', fields: ['first_name', 'last_name', 'email', 'username'] },
    { title: 'Signing in', fields: ['password', 'status'] },
    { title: 'Access', fields: ['roles_ids'] },
    { title: 'Language and time', fields: ['locale', 'timezone'], foldedAtCreation: true },
  ],
  membersFor: { roles_ids: 'assignRoles' },
  defaults: { status: 'active' },
  hints: {
    password: 'Leave it empty to keep it. A new one ends everything that they are logged in with.',
    roles_ids: 'What they can do. You cannot grant rights that you do not hold.',
  },
  creationHints: {
    username: 'Letters, digits, dots, hyphens and underscores. It stays as it is, and so does the email.',
    password: 'At least eight characters, and hard to guess.',
  },
  passwordLink: 'createAdminPasswordReset',
  deletion: 'Everything that they are logged in with ends at once. What they did stays in the audit log.',
};

export const roles: Noun<RoleRow, FieldOf<'createRole' | 'updateRole'>> = {
  resource: Role,
  path: 'roles',
  singular: 'role',
  plural: 'Roles',
  summary: 'What administrators may do: a role is a set of permissions under one name.',
  emptyText: 'Make one, choose its permissions, and give it to administrators.',
  icon: IconShieldLock,
  param: 'role_id',
  list: 'listRoles',
  read: 'readRole',
  create: 'createRole',
  update: 'updateRole',
  remove: 'deleteRole',
  titleOf: (row) => textOrNull(row, 'display_name') ?? text(row, 'name'),
  detailOf: (row) => text(row, 'name'),
  columns: ['display_name', 'name', 'admins', 'created_at', 'updated_at'],
  relationships: { admins: 'Held by' },
  filters: [],
  groups: [{ title: '', fields: ['display_name', 'name', 'description'] }],
  creationHints: {
    name: 'Small letters, digits and hyphens, such as support-desk. It stays as it is.',
    display_name: 'As people read it.',
  },
  deletion: 'Only a role without administrators can be deleted.',
};

export const oauthClients: Noun<OauthClientRow, FieldOf<'createOauthClient' | 'updateOauthClient'>> = {
  resource: OauthClient,
  path: 'oauth-clients',
  singular: 'OAuth client',
  plural: 'OAuth clients',
  summary: 'The programs that talk to the platform, for people who let them or for themselves.',
  emptyText: 'Register a program, and it gets an id and a secret to talk to the platform with.',
  icon: IconApps,
  param: 'client_id',
  list: 'listOauthClients',
  read: 'readOauthClient',
  create: 'createOauthClient',
  update: 'updateOauthClient',
  remove: 'deleteOauthClient',
  titleOf: (row) => text(row, 'name'),
  detailOf: (row) => text(row, 'population'),
  columns: ['name', 'population', 'confidential', 'grants', 'first_party', 'created_at'],
  filters: ['population'],
  groups: [
    { title: 'Program', fields: ['name', 'population', 'confidential', 'first_party'] },
    { title: 'How it gets tokens', fields: ['grants', 'redirect_uris'] },
    { title: 'What its tokens may do', fields: ['scopes'] },
  ],
  defaults: { population: 'admins', confidential: true, grants: ['authorization_code', 'refresh_token'] },
  hints: {
    confidential: 'It runs on a server and can keep a secret; apps and pages cannot.',
    first_party: 'Your own: it may take passwords and asks for no consent. Only for holders of the role admin.',
    redirect_uris: 'Where people come back to: https, or http on 127.0.0.1. Compared letter by letter.',
    scopes: 'At most what you may do yourself.',
  },
  rules: {
    requiredWhen: {
      redirect_uris: (values) => Array.isArray(values['grants']) && values['grants'].includes('authorization_code'),
    },
  },
  shownOnce: 'secret',
  deletion: 'All its tokens end at once, and with them everything that relies on it.',
};

export const auditEntries: Noun<AuditEntryRow, never> = {
  resource: AuditEntry,
  path: 'audit-log',
  singular: 'entry',
  plural: 'Audit log',
  summary: 'Who did what, when, from where, and what was there before. Nothing in it is ever changed or deleted.',
  emptyText: 'Whatever is changed from now on shows here.',
  icon: IconHistory,
  param: 'entry_id',
  list: 'listAuditEntries',
  read: 'readAuditEntry',
  titleOf: (row) => actionPhrase(text(row, 'action')),
  detailOf: (row) => text(row, 'actor_name'),
  columns: ['action', 'occurred_at', 'actor_name', 'resource_id', 'customer_id'],
  filters: [
    'occurred_at',
    'actor_type',
    'actor_id',
    'action',
    'resource_type',
    'resource_id',
    'customer_id',
    'client_id',
    'request_id',
    'address',
  ],
  groups: [],
  isLog: true,
};
