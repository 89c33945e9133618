import type { Dependencies } from '../../dependencies.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { instantOfMicroseconds } from '../../platform/time/instant.ts';
import { requireRoom } from '../rooms/index.ts';
import { addVideo, newVideoColumns, refuseUnusableRoom } from './add-video.ts';
import { chooseMediaServer } from './media-server.ts';
import { hideOrShowVideo } from './sync/hide-videos.ts';
import type { PrintedVideo } from './transformer.ts';

type CreateCall = CallOf<'createVideo'>;

/** Creates a video with an address to upload its file. @throws as `addVideo` */
export async function createVideo(
  dependencies: Dependencies,
  { actor, params: { room_id: roomId }, body: input }: Pick<CreateCall, 'actor' | 'params' | 'body'>,
): Promise<PrintedVideo> {
  const room = await requireRoom(dependencies.db, roomId);
  refuseUnusableRoom(room);
  refuseContentType(input.content_type ?? null);
  const server = await chooseMediaServer(dependencies, room);
  const video = {
    ...newVideoColumns(dependencies, room, server),
    name: input.name,
    description: input.description ?? null,
    size_bytes: input.size_bytes,
    published: input.published ?? true,
    sort_order: input.sort_order ?? 0,
    video_metadata: JSON.stringify(input.video_metadata ?? {}),
  };
  const { stored, answer } = await addVideo(dependencies, actor, { room, server, video, isUpload: true }, (plan) =>
    server.adapter.videos.prepare(plan),
  );
  await hideOrShowVideo(dependencies, stored.id);
  const expiresAt = instantOfMicroseconds(answer.expiresAtMs * 1000);
  return { ...stored, upload: { protocol: 'tus', url: answer.url, expires_at: expiresAt } };
}

/** Allows unknown types: some browsers do not know the type of a file. The media server checks the file itself. */
function refuseContentType(type: string | null): void {
  if (
    type === null ||
    /^(?:video|audio)\//i.test(type) ||
    /^application\/(?:octet-stream|mp4|mxf|ogg|x-matroska)/i.test(type)
  )
    return;
  throw invalidInput({ content_type: ['The file is not a video.'] });
}
