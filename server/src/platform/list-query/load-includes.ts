import { Failure } from '../failures.ts';
import { estimateBytes } from './estimate-bytes.ts';
import type { IncludeTree } from './include.ts';
import type { Reader, RelatedRows, View } from './view.ts';

type Row = { id: string };

/** The maximum number of included objects in one answer, counting repetitions. */
export const maximumIncluded = 10_000;
/** The maximum memory of the distinct included objects of one answer. */
const maximumIncludedMebibytes = 64;

/** Rows of a view with their included rows, ready to be printed. */
export interface LoadedRows {
  readonly view: View;
  readonly rows: readonly Row[];
  readonly includes: readonly LoadedInclude[];
}

export interface LoadedInclude {
  readonly name: string;
  readonly many: boolean;
  readonly byParent: RelatedRows;
  readonly related: LoadedRows;
}

/** The limits of loading one answer. */
export interface LoadLimits {
  /** Included objects. */
  readonly included: number;
  /** Called before every statement. @throws when the client has disconnected */
  readonly checkClient: () => void;
}

/**
 * Loads included resources with one statement for each relationship of the tree. No statement reads more rows than the
 * answer can still have.
 * @returns the rows, the number of included objects, and an estimate of the memory that all of them take
 * @throws 422 `include-too-large` for too many or too long objects, naming the relationship
 */
export async function loadIncludes(
  root: { readonly view: View<never>; readonly rows: readonly Row[] },
  tree: IncludeTree,
  reader: Reader,
  { included, checkClient }: LoadLimits,
): Promise<{ readonly loaded: LoadedRows; readonly included: number; readonly bytes: number }> {
  let remaining = included;
  let bytes = 0;
  let rootBytes = 0;

  /** @param copies how often each row is printed, by id */
  async function load(
    { view, rows }: { view: View; rows: readonly Row[] },
    copies: ReadonlyMap<string, number>,
    subtree: IncludeTree,
    path: readonly string[],
  ): Promise<LoadedRows> {
    if (rows.length === 0) return { view, rows, includes: [] };
    const ownBytes = await estimateBytes(rows);
    bytes += ownBytes;
    if (path.length === 0) rootBytes = ownBytes;
    else if (bytes - rootBytes > maximumIncludedMebibytes * 1_048_576) throw tooLarge(path, 'bytes');
    if (view.hydrate) {
      checkClient();
      await view.hydrate([...rows], reader);
    }
    const includes: LoadedInclude[] = [];
    for (const [name, nestedTree] of Object.entries(subtree)) {
      const relation = reader.views.relation(view, name);
      if (!relation) continue;
      checkClient();
      const byParent = await relation.load(reader, rows, remaining + 1);
      const counted = countCopies(byParent, copies);
      if (counted.total > remaining) throw tooLarge([...path, name], 'objects');
      remaining -= counted.total;
      const target = { view: relation.view, rows: counted.rows };
      includes.push({
        name,
        many: relation.many,
        byParent,
        related: await load(target, counted.copies, nestedTree, [...path, name]),
      });
    }
    return { view, rows, includes };
  }

  const { rows } = root;
  const rootCopies = new Map(Object.keys(tree).length === 0 ? [] : rows.map(({ id }) => [id, 1]));
  const loaded = await load({ view: root.view as unknown as View, rows }, rootCopies, tree, []);
  return { loaded, included: included - remaining, bytes };
}

/** Each related row once, with the number of times that it is printed. */
function countCopies(byParent: RelatedRows, copiesOfParent: ReadonlyMap<string, number>) {
  const distinct = new Map<string, Row>();
  const copies = new Map<string, number>();
  let total = 0;
  for (const [parent, related] of byParent) {
    const printed = copiesOfParent.get(parent) ?? 0;
    for (const [index, row] of related.entries()) {
      const first = distinct.get(row.id);
      if (first) related[index] = first;
      else distinct.set(row.id, row);
      copies.set(row.id, (copies.get(row.id) ?? 0) + printed);
      total += printed;
    }
  }
  return { rows: [...distinct.values()], copies, total };
}

function tooLarge(path: readonly string[], limit: 'objects' | 'bytes'): Failure {
  const name = path.join('.');
  const maximum =
    limit === 'objects'
      ? `${maximumIncluded.toLocaleString('en')} included objects`
      : `${maximumIncludedMebibytes} MiB of included objects`;
  return new Failure(
    'include-too-large',
    `With ${name}, the answer would have more than ${maximum}. Ask for fewer rows, or list ${path.at(-1)} separately.`,
    { errors: { include: [`${name} would exceed the limit of ${maximum} in one answer.`] } },
  );
}

export function isTooLarge(error: unknown): boolean {
  return error instanceof Failure && error.code === 'include-too-large';
}

/** The limits of the part of a stream that is in memory at a time. */
const maxBatchObjects = 2000;
const maxBatchBytes = 1_048_576;

/**
 * Loads the includes of a stream of rows in batches of at most `maxBatchObjects` included objects. A row with more of
 * them is a batch of its own, up to the limit of an answer.
 */
export async function* loadStream(
  { view, batches }: { view: View<never>; batches: AsyncIterable<readonly Row[]> },
  tree: IncludeTree,
  reader: Reader,
  checkClient: () => void,
): AsyncGenerator<LoadedRows> {
  const hasIncludes = Object.keys(tree).length > 0;
  let size = Number.POSITIVE_INFINITY;
  for await (const batch of batches) {
    for (let start = 0; start < batch.length;) {
      const rows = batch.slice(start, start + size);
      try {
        const maximum = rows.length === 1 ? maximumIncluded : maxBatchObjects;
        const limits = { included: maximum, checkClient };
        const { loaded, included, bytes } = await loadIncludes({ view, rows }, tree, reader, limits);
        start += rows.length;
        if (hasIncludes && bytes > maxBatchBytes) size = Math.ceil(rows.length / 2);
        else if (rows.length === size && included < maxBatchObjects / 2 && bytes < maxBatchBytes / 2) size *= 2;
        yield loaded;
      } catch (error) {
        if (!isTooLarge(error) || rows.length === 1) throw error;
        size = Math.ceil(rows.length / 2);
      }
    }
  }
}
