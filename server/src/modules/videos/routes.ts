import { videoEndpoints as endpoints } from '@foyer/contract/resources/media/video.ts';
import { sql } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, row, rows, actionRoute } from '../../platform/http/input/call.ts';
import { requireRoom } from '../rooms/index.ts';
import { deleteCaptions, setCaptions, setPoster } from './change-files.ts';
import { copyRecordingToRoom } from './copy-recording.ts';
import { createVideo } from './create-video.ts';
import { deleteVideo } from './delete-video.ts';
import { retryVideo } from './retry-video.ts';
import { requireVideo } from './store.ts';
import { videoView } from './transformer.ts';
import { updateVideo } from './update-video.ts';

export function videoRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(endpoints.listVideos, () => rows(videoView)),
    route(endpoints.listRoomVideos, async ({ params }) => {
      await requireRoom(db, params.room_id);
      return rows(videoView, sql`videos.room_id = ${params.room_id}`);
    }),
    route(endpoints.createVideo, async (call) => row(videoView, await createVideo(dependencies, call))),
    route(endpoints.copyRecordingToRoom, async (call) => row(videoView, await copyRecordingToRoom(dependencies, call))),
    route(endpoints.readVideo, async ({ params }) => row(videoView, await requireVideo(db, params.video_id))),
    route(endpoints.updateVideo, async (call) => row(videoView, await updateVideo(dependencies, call))),
    actionRoute(endpoints.deleteVideo, ({ actor, params }) => deleteVideo(dependencies, actor, params.video_id)),
    route(endpoints.retryVideo, async ({ actor, params }) =>
      row(videoView, await retryVideo(dependencies, actor, params.video_id)),
    ),
    route(endpoints.setVideoPoster, async (call) => row(videoView, await setPoster(dependencies, call))),
    route(endpoints.setVideoCaptions, async (call) => row(videoView, await setCaptions(dependencies, call))),
    actionRoute(endpoints.deleteVideoCaptions, (call) => deleteCaptions(dependencies, call)),
  ];
}
