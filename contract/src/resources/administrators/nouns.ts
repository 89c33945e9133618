import { crudEvents, signInEvents, type Nouns, type Tags } from '../../conventions/noun.ts';

export const nouns = {
  dashboard: { permissions: { dashboard: { access: [] } } },
  admin: {
    object: 'Admin',
    prefix: 'admin',
    permissions: {
      admins: { read: [], create: [], update: [], delete: [] },
      'admins-access': { manage: ['read-admins', 'read-roles'] },
    },
    events: {
      ...crudEvents('administrator', 'An'),
      ...signInEvents('administrator', 'An'),
      roles_changed: 'An administrator has other roles.',
      two_factor_begun: 'An administrator began to set up a second factor.',
      two_factor_enabled: 'An administrator signs in with a second factor from now on.',
      two_factor_disabled: 'An administrator signs in without a second factor from now on.',
      two_factor_reset: 'The second factor of an administrator was removed by another one.',
      recovery_code_used: 'An administrator signed in with a recovery code.',
      recovery_codes_renewed: 'An administrator has new recovery codes.',
    },
  },
  role: {
    object: 'Role',
    prefix: 'role',
    permissions: { roles: { read: [], create: [], update: [], delete: [] } },
    events: { ...crudEvents('role'), permissions_changed: 'A role has other permissions.' },
  },
  permission: {
    object: 'Permission',
    prefix: 'perm',
    permissions: { permissions: { read: [], manage: ['read-roles'] } },
  },
} as const satisfies Nouns;

export const tags: Tags = {
  Administrators: 'The people who run the platform. What they may do comes from their roles.',
  'Roles and permissions':
    'Roles are named sets of permissions. Administrators hold roles, never permissions directly.',
  'Second factor': 'For administrators: a six-digit code from an app, in addition to the password.',
};
