import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Actor, CallOf } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { VideoState, VideoStore } from '../../providers/media.ts';
import { recomputeStoredUsage } from '../subscriptions/index.ts';
import { callMediaServer, createFileRefusedError, requireMediaServer } from './media-server.ts';
import { lockVideo, requireVideo, storeVideo, type VideoRow } from './store.ts';
import { columnsOf, eventOf } from './sync/apply-states.ts';

/** @throws 404, 422 `file-not-accepted`, 503 `provider-unavailable` */
export async function setPoster(
  dependencies: Dependencies,
  { actor, params: { video_id: id }, body: image }: CallOf<'setVideoPoster'>,
): Promise<VideoRow> {
  return await changeFile(dependencies, actor, id, { send: (videos) => videos.setPoster(id, image), isPoster: true });
}

/** @throws 404, 422 for an unknown language and `file-not-accepted`, 503 `provider-unavailable` */
export async function setCaptions(
  dependencies: Dependencies,
  { actor, params, query, body: file }: CallOf<'setVideoCaptions'>,
): Promise<VideoRow> {
  const { video_id: id } = params;
  const language = canonicalLanguage(params.language);
  const label = query['label']?.trim() || nativeNameOf(language);
  return await changeFile(dependencies, actor, id, {
    send: (videos) => videos.setCaptions(id, language, label, file),
    isPoster: false,
  });
}

/** Succeeds if the captions do not exist. @throws 404, 503 `provider-unavailable` */
export async function deleteCaptions(
  dependencies: Dependencies,
  { actor, params }: CallOf<'deleteVideoCaptions'>,
): Promise<void> {
  const { video_id: id } = params;
  const language = canonicalLanguage(params.language);
  const row = await requireVideo(dependencies.db, id);
  if (!row.captions.some((track) => track.language === language)) return;
  await changeFile(dependencies, actor, id, {
    send: (videos) => videos.removeCaptions(id, language),
    isPoster: false,
  });
}

interface FileChange {
  readonly send: (videos: VideoStore) => Promise<VideoState>;
  readonly isPoster: boolean;
}

async function changeFile(
  dependencies: Dependencies,
  actor: Actor,
  id: Uuid,
  { send, isPoster }: FileChange,
): Promise<VideoRow> {
  const { service_provider_id: providerId } = await requireVideo(dependencies.db, id);
  const { adapter } = await callMediaServer(() => requireMediaServer(dependencies, providerId));
  const state = await callMediaServer(() => send(adapter.videos), createFileRefusedError);
  return await inTransaction(dependencies, actor, async (change) => {
    const row = await lockVideo(change.tx, id);
    const updated = await storeVideo(change.tx, id, {
      // The event of the media server about this change may have been applied already.
      ...(state.revision > row.revision ? columnsOf(state) : {}),
      ...(isPoster ? { poster_revision: state.revision } : {}),
      updated_at: change.now,
    });
    await change.emit(eventOf(row, updated));
    if (updated.stored_bytes !== row.stored_bytes) await recomputeStoredUsage(change, [row.subscription_id]);
    return updated;
  });
}

/** @throws 422 */
function canonicalLanguage(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? tag;
  } catch {
    throw invalidInput({ language: ['The language is not a language tag such as pt-BR.'] });
  }
}

/** The name of the language in that language, such as "português (Brasil)". */
function nativeNameOf(language: string): string {
  return new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
}
