/**
 * The permission catalogue. A name is `<verb>-<resources>`; every verb but `read` also requires
 * `read-<resources>` and the reads named here, checked when the request is made.
 */
const catalogue = {
  dashboard: { access: [] },
  admins: { read: [], create: [], update: [], delete: [] },
  'admins-access': { manage: ['read-admins', 'read-roles'] },
  roles: { read: [], create: [], update: [], delete: [] },
  permissions: { read: [], manage: ['read-roles'] },
  customers: { read: [], create: [], update: [], delete: [] },
  accounts: {
    read: [],
    create: ['read-customers', 'read-subscriptions'],
    update: ['read-customers', 'read-subscriptions'],
    delete: ['read-customers', 'read-subscriptions'],
  },
  users: {
    read: [],
    create: ['read-customers'],
    update: ['read-customers'],
    delete: ['read-customers'],
  },
  'service-providers': { read: [], create: [], update: [], delete: [] },
  'service-packages': { read: [], create: [], update: [], delete: [] },
  'service-packages-features': { manage: ['read-service-packages'] },
  'service-packages-providers': { manage: ['read-service-packages', 'read-service-providers'] },
  subscriptions: {
    read: [],
    create: ['read-service-packages', 'read-customers'],
    update: [],
    delete: [],
    renew: [],
    cancel: [],
  },
  'subscriptions-features': { manage: ['read-subscriptions'] },
  'subscriptions-providers': { manage: ['read-subscriptions'] },
  rooms: {
    read: [],
    create: ['read-accounts', 'read-subscriptions'],
    update: [],
    delete: [],
    join: [],
  },
  'rooms-tokens': { manage: ['read-rooms'] },
  'rooms-access-codes': { manage: ['read-rooms'] },
  'rooms-users': { manage: ['read-rooms'] },
  'rooms-videos': { manage: ['read-rooms'] },
  'rooms-streams': { manage: ['read-rooms'] },
  'rooms-outputs': { manage: ['read-rooms'] },
  meetings: { read: [], end: [] },
  recordings: { read: [], update: [], delete: [] },
  'oauth-clients': { read: [], create: [], update: [], delete: [] },
  settings: { read: [], update: [] },
  webhooks: { read: [], create: [], update: [], delete: [] },
  events: { read: [] },
  'audit-log': { read: [] },
} as const satisfies Record<string, Record<string, readonly string[]>>;

type Catalogue = typeof catalogue;
export type PermissionName = {
  [Resource in keyof Catalogue & string]: `${keyof Catalogue[Resource] & string}-${Resource}`;
}[keyof Catalogue & string];

export interface Permission {
  readonly name: PermissionName;
  readonly displayName: string;
  readonly description: string;
  /** Read permissions that the holder needs besides. */
  readonly requires: readonly PermissionName[];
}

export const permissions: readonly Permission[] = Object.entries(catalogue).flatMap(([resource, verbs]) =>
  Object.entries(verbs).map(([verb, reads]) => describePermission(resource, verb, reads)),
);

const byName = new Map<string, Permission>(permissions.map((permission) => [permission.name, permission]));

export function requiredReads(name: PermissionName): readonly PermissionName[] {
  return byName.get(name)?.requires ?? [];
}

/** The scope that a token needs to use the permission: `<resource>:read` or `<resource>:write`. */
export function scopeOf(name: PermissionName): string {
  const [verb = '', ...rest] = name.split('-');
  const resource = rest.join('-');
  const owner = scopeResources.find((candidate) => resource === candidate || resource.startsWith(`${candidate}-`));
  return `${owner ?? resource}:${verb === 'read' ? 'read' : 'write'}`;
}

const scopeResources = ['admins', 'rooms', 'subscriptions', 'service-packages'];

/** In every role from its creation. */
export const dashboardPermission: PermissionName = 'access-dashboard';

function describePermission(resource: string, verb: string, reads: readonly string[]): Permission {
  const words = resource.replaceAll('-', ' ');
  const ownRead = `read-${resource}`;
  const hasOwnRead =
    verb !== 'read' && Object.hasOwn(catalogue, resource) && 'read' in catalogue[resource as keyof Catalogue];
  return {
    name: `${verb}-${resource}` as PermissionName,
    displayName: `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${words}`,
    description: `May ${verb} ${words}.`,
    requires: [...(hasOwnRead ? [ownRead] : []), ...reads] as PermissionName[],
  };
}
