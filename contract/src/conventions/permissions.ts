import { nouns } from '../resources/nouns.ts';
import type { Noun } from './noun.ts';

type Nouns = typeof nouns;
type NamesOf<Groups> = {
  [Group in keyof Groups & string]: `${keyof Groups[Group] & string}-${Group}`;
}[keyof Groups & string];

/** `<verb>-<group>`. */
export type PermissionName = {
  [Name in keyof Nouns]: Nouns[Name] extends { permissions: infer Groups } ? NamesOf<Groups> : never;
}[keyof Nouns];

export interface Permission {
  readonly name: PermissionName;
  readonly displayName: string;
  readonly description: string;
  /** Read permissions that the holder needs as well. */
  readonly requires: readonly PermissionName[];
}

const groups = Object.assign({}, ...Object.values<Noun>(nouns).map((noun) => noun.permissions ?? {})) as Readonly<
  Record<string, Readonly<Record<string, readonly string[]>>>
>;

export const permissions: readonly Permission[] = Object.entries(groups).flatMap(([group, verbs]) =>
  Object.entries(verbs).map(([verb, readPermissions]) => describePermission(group, verb, readPermissions)),
);

const byName = new Map<string, Permission>(permissions.map((permission) => [permission.name, permission]));

export function requiredReadPermissions(name: PermissionName): readonly PermissionName[] {
  return byName.get(name)?.requires ?? [];
}

/** The scope that a token needs to use the permission: `<group>:read` or `<group>:write`, where `rooms` covers `rooms-tokens`. */
export function scopeOf(name: PermissionName): string {
  const [verb = '', ...rest] = name.split('-');
  const group = rest.join('-');
  const coveringGroup = Object.keys(groups).find((candidate) => group.startsWith(`${candidate}-`)) ?? group;
  return `${coveringGroup}:${verb === 'read' ? 'read' : 'write'}`;
}

/** Every role has it. */
export const dashboardPermission: PermissionName = 'access-dashboard';

function describePermission(group: string, verb: string, readPermissions: readonly string[]): Permission {
  const words = group.replaceAll('-', ' ');
  const ownReadPermission = verb !== 'read' && groups[group]?.['read'] ? [`read-${group}`] : [];
  return {
    name: `${verb}-${group}` as PermissionName,
    displayName: `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${words}`,
    description: `May ${verb} ${words}.`,
    requires: [...ownReadPermission, ...readPermissions] as PermissionName[],
  };
}
