import { type FieldFilter, printRow } from './print-row.ts';
import type { Reader, View } from './view.ts';

/** Relationship names to what is included below them. */
export interface IncludeTree {
  readonly [name: string]: IncludeTree;
}

export interface Includes {
  readonly tree: IncludeTree;
  /** Names that were asked for and are unknown, too deep, or not for this caller. */
  readonly ignored: string[];
}

const maximumDepth = 4;

export function parseInclude(
  text: string | undefined,
  view: View<never>,
  reader: Pick<Reader, 'may' | 'userId'>,
): Includes {
  const tree: Record<string, Record<string, unknown>> = {};
  const ignored: string[] = [];
  for (const path of (text ?? '').split(',').map((name) => name.trim())) {
    if (path === '') continue;
    if (!isReadable(path.split('.'), view, reader)) {
      if (!ignored.includes(path)) ignored.push(path);
      continue;
    }
    let branch: Record<string, unknown> = tree;
    for (const name of path.split('.')) branch = (branch[name] ??= {}) as Record<string, unknown>;
  }
  return { tree: tree as IncludeTree, ignored };
}

function isReadable(path: readonly string[], view: View<never>, reader: Pick<Reader, 'may' | 'userId'>): boolean {
  if (path.length > maximumDepth) return false;
  let current: View<never> = view;
  for (const name of path) {
    const relation = current.relations.get(name);
    if (!relation) return false;
    current = relation.view();
    const permission = current.resource.readPermission;
    if (permission !== null && !reader.may(permission)) return false;
    if (reader.userId !== null && current.reach === null && permission !== null) return false;
  }
  return true;
}

/** Prints rows with what is included, one statement for each relationship of the tree. */
export async function present(
  view: View<never>,
  rows: readonly { id: string }[],
  reader: Reader,
  tree: IncludeTree,
  filter: FieldFilter,
): Promise<Record<string, unknown>[]> {
  if (rows.length === 0) return [];
  const source = view as unknown as View;
  if (source.hydrate) await source.hydrate([...rows], reader);
  const objects = rows.map((row) => printRow(source, row, reader, filter));
  await Promise.all(
    Object.entries(tree).map(async ([name, below]) => {
      const relation = source.relations.get(name);
      if (!relation) return;
      const target = relation.view() as unknown as View<never>;
      const related = await relation.load(reader, rows);
      const inner = filter?.has(name) ? null : filter;
      const flat = [...related.values()].flat();
      const printed = await present(target, flat, reader, below, inner);
      const byRow = new Map(flat.map((row, index) => [row, printed[index]]));
      for (const [index, row] of rows.entries()) {
        const own = (related.get(row.id) ?? []).map((candidate) => byRow.get(candidate));
        const object = objects[index];
        if (object) object[name] = { data: relation.many ? own : (own[0] ?? null) };
      }
    }),
  );
  return objects;
}
