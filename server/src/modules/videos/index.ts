import { defineModule } from '../../module.ts';
import { deleteVideosOfRoom } from './delete-video.ts';
import { videoJobs } from './jobs.ts';
import { videoGauges } from './monitoring/gauges.ts';
import { checkVideos } from './monitoring/health-checks.ts';
import { relations, tenantScopes } from './relations.ts';
import { videoRoutes } from './routes.ts';
import { videoView } from './transformer.ts';

export { createVideo } from './create-video.ts';
export { discardUpload } from './delete-video.ts';
export { listPlayableVideos, type PlaylistVideo } from './store.ts';
export { handleVideoEvent, type TranscodingAnswer, type VideoEvent } from './sync/handle-video-event.ts';
export { posterName, videoView } from './transformer.ts';

export const videos = defineModule({
  name: 'videos',
  routes: videoRoutes,
  views: { Video: videoView },
  jobs: videoJobs,
  relations,
  tenantScopes,
  reactions: { 'room.deleting': deleteVideosOfRoom },
  healthChecks: [checkVideos],
  gauges: [videoGauges],
});
