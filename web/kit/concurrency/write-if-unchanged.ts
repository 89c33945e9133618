import type { EndpointName } from '@foyer/sdk';
import { type FormValues, isSame } from '../form/form-values.ts';
import { client, isRefusedFor, refreshEverything } from '../api/client.ts';
import { EditConflict, type Version } from './edit-conflict.ts';

/** A resource that is written, and the fields that the write depends on. */
export interface WriteTarget {
  readonly read: EndpointName;
  readonly params?: Readonly<Record<string, string>>;
  /** Relationships that `fields` names. */
  readonly include?: string;
  readonly fields: readonly string[];
}

export async function readVersion(target: WriteTarget, signal?: AbortSignal): Promise<Version> {
  const { params = {}, include } = target;
  const { answer, etag } = await client.withEtag(target.read, {
    params,
    ...(include === undefined ? {} : { query: { include } }),
    ...(signal ? { signal } : {}),
  } as never);
  return { row: (answer as { data: FormValues }).data, etag };
}

/**
 * Writes with `If-Match`, so that no write is based on data that another person has changed (optimistic concurrency).
 * If a 412 was only caused by fields that are not in `fields`, the write is repeated with the new tag.
 * @param shown the version that the user saw; without a tag it is compared with the stored resource first
 * @throws EditConflict
 */
export async function writeIfUnchanged<Answer>(
  target: WriteTarget,
  shown: Version,
  write: (ifMatch: string) => Promise<Answer>,
): Promise<Answer> {
  let etag = shown.etag ?? (await readUnchanged(target, shown));
  for (let triesLeft = 3; ; triesLeft -= 1) {
    try {
      return await write(etag);
    } catch (error) {
      if (!isRefusedFor('precondition-failed', error) || triesLeft === 0) throw error;
      etag = await readUnchanged(target, shown);
    }
  }
}

async function readUnchanged(target: WriteTarget, shown: Version): Promise<string> {
  const stored = await readVersion(target);
  const isUnchanged = target.fields.every((name) => !(name in shown.row) || isSame(stored.row[name], shown.row[name]));
  if (isUnchanged) return stored.etag ?? '*';
  // Also refreshes the page behind the dialog.
  void refreshEverything();
  throw new EditConflict(target.fields, shown, stored);
}
