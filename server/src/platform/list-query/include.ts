import { invalidInput } from '../failures.ts';
import type { Reader, View } from './view.ts';

/** Names of relationships, each with the tree below it. */
export interface IncludeTree {
  readonly [name: string]: IncludeTree;
}

export interface Includes {
  readonly tree: IncludeTree;
  /** Paths that are unknown, too deep, not readable by this caller, or circular. */
  readonly ignored: readonly string[];
}

const maximumDepth = 4;
const maximumPaths = 20;

/** The paths of an `include` parameter. @throws 422 for too many */
export function includePaths(text: string | undefined): string[] {
  const paths = (text ?? '')
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '');
  if (paths.length > maximumPaths)
    throw invalidInput({ include: [`An answer can include at most ${maximumPaths} relationships.`] });
  return paths;
}

export function parseInclude(
  paths: readonly string[],
  view: View<never>,
  reader: Pick<Reader, 'may' | 'userId' | 'views'>,
): Includes {
  const tree: Record<string, Record<string, unknown>> = {};
  const ignored = new Set<string>();
  for (const path of paths) {
    if (!isReadable(path.split('.'), view, reader)) {
      ignored.add(path);
      continue;
    }
    let branch: Record<string, unknown> = tree;
    for (const name of path.split('.')) branch = (branch[name] ??= {}) as Record<string, unknown>;
  }
  return { tree: tree as IncludeTree, ignored: [...ignored] };
}

function isReadable(
  path: readonly string[],
  view: View<never>,
  reader: Pick<Reader, 'may' | 'userId' | 'views'>,
): boolean {
  if (path.length > maximumDepth) return false;
  let current: View<never> = view;
  const leftTypes = new Set<string>();
  for (const name of path) {
    const relation = reader.views.relation(current, name);
    if (!relation) return false;
    const { object } = current.resource;
    current = relation.view;
    // A relationship within one type (`parent`, `sub_customers`) is not circular.
    if (current.resource.object !== object) leftTypes.add(object);
    if (leftTypes.has(current.resource.object)) return false;
    const permission = current.resource.readPermission;
    if (permission !== null && !reader.may(permission)) return false;
    if (reader.userId !== null && reader.views.scope(current) === null && permission !== null) return false;
  }
  return true;
}
