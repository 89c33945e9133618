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
      roles_changed: 'The roles of an administrator were changed.',
      two_factor_begun: 'An administrator started to set up a second factor.',
      two_factor_enabled: 'An administrator turned their second factor on.',
      two_factor_disabled: 'An administrator turned their second factor off.',
      two_factor_reset: "An administrator removed another administrator's second factor.",
      recovery_code_used: 'An administrator signed in with a recovery code.',
      recovery_codes_renewed: 'An administrator created new recovery codes.',
    },
  },
  role: {
    object: 'Role',
    prefix: 'role',
    permissions: { roles: { read: [], create: [], update: [], delete: [] } },
    events: { ...crudEvents('role'), permissions_changed: 'The permissions of a role were changed.' },
  },
  permission: {
    object: 'Permission',
    prefix: 'perm',
    permissions: { permissions: { read: [], manage: ['read-roles'] } },
  },
} as const satisfies Nouns;

export const tags: Tags = {
  Administrators: 'The people who run the platform. Their permissions come from their roles.',
  'Roles and permissions': 'Roles are named sets of permissions. Administrators get permissions only through roles.',
  'Second factor': 'For administrators: a six-digit code from an app, in addition to the password.',
};
