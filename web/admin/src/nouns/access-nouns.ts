import { IconApps, IconHistory, IconShieldLock, IconUserShield } from '@tabler/icons-react';
import { actionPhrase } from '../audit/action-phrase.ts';
import { type FieldOf, type Noun, text, textOrNull } from '../../../kit/noun/noun.ts';
import { Admin, AuditEntry, OauthClient, Role } from './kinds.table.ts';
import type { AdminRow, AuditEntryRow, OauthClientRow, RoleRow } from './rows.ts';

/** The built-in role with all permissions. It cannot be changed or deleted. */
export const defaultRole = 'admin';

export const admins: Noun<AdminRow, FieldOf<'createAdmin' | 'updateAdmin'>> = {
  resource: Admin,
  path: 'admins',
  singular: 'administrator',
  plural: 'Administrators',
  summary: 'The people who run the platform. Their roles determine what they can do.',
  emptyText: 'Add one for each person who runs the platform with you.',
  icon: IconUserShield,
  section: 'Access',
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
    password: 'Leave it empty to keep the current one. A new password ends all sessions.',
    roles_ids: 'What they can do. You can’t grant permissions that you don’t have.',
  },
  creationHints: {
    username: 'Letters, digits, dots, hyphens and underscores. User name and email can’t be changed later.',
    password: 'At least 12 characters, and not a common password.',
  },
  passwordLink: 'createAdminPasswordReset',
  deletion: 'All their sessions end immediately. Their actions stay in the audit log.',
};

export const roles: Noun<RoleRow, FieldOf<'createRole' | 'updateRole'>> = {
  resource: Role,
  path: 'roles',
  singular: 'role',
  plural: 'Roles',
  summary: 'A role is a named set of permissions for administrators.',
  emptyText: 'Create a role, choose its permissions, and assign it to administrators.',
  icon: IconShieldLock,
  section: 'Access',
  param: 'role_id',
  list: 'listRoles',
  read: 'readRole',
  create: 'createRole',
  update: 'updateRole',
  remove: 'deleteRole',
  titleOf: (row) => textOrNull(row, 'display_name') ?? text(row, 'name'),
  detailOf: (row) => text(row, 'name'),
  columns: ['display_name', 'name', 'admins', 'created_at', 'updated_at'],
  relationships: { admins: 'Administrators' },
  filters: [],
  groups: [{ title: '', fields: ['display_name', 'name', 'description'] }],
  creationHints: {
    name: 'Lowercase letters, digits and hyphens, such as support-desk. It cannot be changed later.',
    display_name: 'The name shown in the console.',
  },
  deletion: 'Only a role without administrators can be deleted.',
};

export const oauthClients: Noun<OauthClientRow, FieldOf<'createOauthClient' | 'updateOauthClient'>> = {
  resource: OauthClient,
  path: 'oauth-clients',
  singular: 'OAuth client',
  plural: 'OAuth clients',
  summary: 'Programs that use the API, on behalf of users or on their own.',
  emptyText: 'Register a program to get a client id and a secret for the API.',
  icon: IconApps,
  section: 'Access',
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
    { title: 'Scopes of its tokens', fields: ['scopes'] },
  ],
  defaults: { population: 'admins', confidential: true, grants: ['authorization_code', 'refresh_token'] },
  hints: {
    confidential: 'For programs on a server that can keep a secret, unlike apps and web pages.',
    first_party:
      'Your own program: it may ask users for their passwords and needs no consent. Only the role admin can set this.',
    redirect_uris: 'Addresses to return to after sign-in: https, or http on 127.0.0.1. They must match exactly.',
    scopes: 'You can only select scopes that your own permissions cover.',
  },
  rules: {
    requiredWhen: {
      redirect_uris: (values) => Array.isArray(values['grants']) && values['grants'].includes('authorization_code'),
    },
  },
  shownOnce: 'secret',
  deletion: 'All its tokens are revoked immediately, and every integration that uses it stops working.',
};

export const auditEntries: Noun<AuditEntryRow, never> = {
  resource: AuditEntry,
  path: 'audit-log',
  singular: 'entry',
  plural: 'Audit log',
  summary: 'Who changed what, when and from where, with the previous values. Entries cannot be edited or deleted.',
  emptyText: 'Changes appear here.',
  icon: IconHistory,
  section: 'Access',
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
