import {
  dashboardPermission,
  type PermissionName,
  permissions,
  requiredReadPermissions,
} from '@foyer/contract/conventions/permissions.ts';
import { lowered, phraseOf } from '../../../kit/format/label.ts';
import { offeredPermissions, resourceOf } from '../oauth-clients/offered-scopes.ts';

/** One kind of resource with the permissions on it. */
export interface MatrixRow {
  readonly resource: string;
  readonly label: string;
  /** Permissions whose verbs have their own column. */
  readonly byVerb: Readonly<Partial<Record<Verb, PermissionName>>>;
  /** Permissions with verbs that few resources have. */
  readonly otherPermissions: readonly PermissionName[];
}

export interface MatrixSection {
  readonly title: string;
  readonly rows: readonly MatrixRow[];
}

export const verbs = ['read', 'create', 'update', 'delete'] as const;
export type Verb = (typeof verbs)[number];

/** Available permissions by resource. Resources without a section come last, so that new ones appear. */
export function matrixSections(): MatrixSection[] {
  const resources = [...new Set(offeredPermissions.map(({ name }) => resourceOf(name)))];
  const sectionResources = new Set(sections.flatMap((section) => section.resources));
  const rest = resources.filter((resource) => !sectionResources.has(resource));
  return [...sections, { title: 'More', resources: rest }]
    .map(({ title, resources: resourcesOfSection }) => ({
      title,
      rows: resourcesOfSection.filter((resource) => resources.includes(resource)).map(rowOf),
    }))
    .filter(({ rows }) => rows.length > 0);
}

/** The read permissions that each selected permission still needs to have an effect. */
export function missingReads(chosen: ReadonlySet<string>): Map<PermissionName, PermissionName[]> {
  const selected = permissions.filter(({ name }) => chosen.has(name));
  return new Map(
    selected.flatMap(({ name }) => {
      const missing = requiredReadPermissions(name).filter((read) => !chosen.has(read));
      return missing.length === 0 ? [] : [[name, missing] as const];
    }),
  );
}

/** The read permissions that the permissions require. */
export function requiredReads(names: readonly PermissionName[]): PermissionName[] {
  return [...new Set(names.flatMap((name) => requiredReadPermissions(name)))];
}

/** Differences between stored and selected permissions. */
export function permissionChanges(stored: ReadonlySet<string>, chosen: ReadonlySet<string>) {
  return {
    added: [...chosen].filter((name) => !stored.has(name)),
    removed: [...stored].filter((name) => !chosen.has(name)),
  };
}

export function isLocked(name: PermissionName): boolean {
  return name === dashboardPermission;
}

export function permissionsOf(row: MatrixRow): PermissionName[] {
  return [...verbs.flatMap((verb) => row.byVerb[verb] ?? []), ...row.otherPermissions];
}

/** `renew-subscriptions` reads as "Renew". */
export function verbOf(name: PermissionName): string {
  const verb = name.split('-')[0] ?? '';
  return verb.charAt(0).toUpperCase() + verb.slice(1);
}

/** `read-service-packages` reads as "Read service packages". */
export function permissionLabel(name: PermissionName): string {
  return `${verbOf(name)} ${lowered(phraseOf(resourceOf(name)))}`;
}

function rowOf(resource: string): MatrixRow {
  const names = permissions.map(({ name }) => name).filter((name) => resourceOf(name) === resource);
  const firstWordOf = (name: PermissionName) => name.split('-')[0];
  return {
    resource,
    label: phraseOf(resource),
    byVerb: Object.fromEntries(
      verbs.flatMap((verbName) =>
        names.filter((name) => firstWordOf(name) === verbName).map((name) => [verbName, name]),
      ),
    ),
    otherPermissions: names.filter((name) => !verbs.some((verbName) => verbName === firstWordOf(name))),
  };
}

const sections: readonly { title: string; resources: readonly string[] }[] = [
  {
    title: 'Customers',
    resources: [
      'customers',
      'users',
      'subscriptions',
      'subscriptions-features',
      'subscriptions-providers',
      'accounts',
      'rooms',
      'rooms-tokens',
      'rooms-access-codes',
      'rooms-users',
      'meetings',
      'recordings',
    ],
  },
  {
    title: 'Catalogue',
    resources: ['service-packages', 'service-packages-features', 'service-packages-providers', 'service-providers'],
  },
  {
    title: 'Access',
    resources: ['dashboard', 'admins', 'admins-access', 'roles', 'permissions', 'oauth-clients', 'audit-log'],
  },
  { title: 'Platform', resources: ['settings', 'webhooks', 'events'] },
];
