import type { Dependencies } from '../../../dependencies.ts';
import type { Finding } from '../../../module.ts';
import { type VideoWait, countWaitingVideos } from './waiting.ts';

const descriptions: Readonly<Record<VideoWait, string>> = {
  upload: 'waiting for upload',
  processing: 'being processed',
  deletion: 'waiting for deletion',
};
/** Progress is stored every few seconds, and a deletion is tried again for as long as the server is down. */
const stuckMs = 3_600_000;

/** Reports videos that wait on media servers, with a warning when one has waited for an hour without progress. */
export async function checkVideos({ db, clock }: Dependencies): Promise<Finding[]> {
  return (await countWaitingVideos(db)).map(({ providerName, wait, count, since }) => {
    const waitedMs = clock.nowMs() - Date.parse(since);
    const isStuck = wait !== 'upload' && waitedMs > stuckMs;
    const stuckText = isStuck ? `, one without progress for ${Math.floor(waitedMs / 3_600_000)} h` : '';
    return {
      subject: 'videos',
      state: isStuck ? 'warning' : 'ok',
      text: `${providerName}: ${count} ${descriptions[wait]}${stuckText}`,
    };
  });
}
