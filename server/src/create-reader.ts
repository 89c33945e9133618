import type { Dependencies } from './dependencies.ts';
import { signPlaybackLink } from './modules/recordings/index.ts';
import { describeProvider, imageAddresses } from './modules/service-providers/index.ts';
import type { Viewer } from './platform/http/respond.ts';
import type { Reader, ViewIndex } from './platform/list-query/view.ts';

/** Creates the context for printing resources for one viewer. Its time is that of the call. */
export function createReader(dependencies: Dependencies, views: ViewIndex, { locale, may, userId }: Viewer): Reader {
  return {
    db: dependencies.db as never,
    nowMs: dependencies.clock.nowMs(),
    today: dependencies.clock.today(dependencies.settings().system_timezone),
    locale,
    publicUrl: dependencies.publicUrl(),
    openSecret: dependencies.secretBox.open,
    describeProvider: (type, properties) => describeProvider(dependencies.providers, type, properties),
    signPlaybackLink: (path) => signPlaybackLink(dependencies, path),
    imageAddresses: (db, ids) => imageAddresses(dependencies, db, ids),
    views,
    may,
    userId,
  };
}
