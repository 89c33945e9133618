import type { Jobs } from '../../module.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { limitWindowMs } from './request-reset.ts';
import { prepareReset, storeReset } from './create-reset.ts';
import {
  originOf,
  findActivePerson,
  markAnswered,
  removeOldRequests,
  removeOldResets,
  type RequestRow,
  listPendingRequests,
} from './store.ts';
import { inBatches } from '../../platform/in-batches.ts';

const batch = 100;
const keptDays = 7;

async function answerResetRequests(dependencies: Dependencies): Promise<number> {
  // Requests are kept until a process with a mail server answers them.
  if (!dependencies.mailer) return 0;
  return await inBatches(batch, async () => {
    const requests = await listPendingRequests(dependencies.db, batch);
    for (const request of requests) await answer(dependencies, request);
    return requests.length;
  });
}

async function answer(dependencies: Dependencies, request: RequestRow): Promise<void> {
  const population = request.population === 'admins' ? 'admins' : 'users';
  const person = await findActivePerson(dependencies.db, population, request.email);
  const prepared = person ? await prepareReset(dependencies, person, originOf(request)) : null;
  await inTransaction(dependencies, visitorOf(request), async (change) => {
    const isFirstAnswer = await markAnswered(change.tx, request.id, change.now);
    if (isFirstAnswer && prepared) await storeReset(change, prepared);
  });
}

function visitorOf({ request_id: requestId, address }: RequestRow): Actor {
  return { type: 'visitor', id: null, name: null, clientId: null, clientName: null, requestId, address };
}

async function prunePasswordResets({ db, clock }: Dependencies): Promise<number> {
  const requests = await removeOldRequests(db, new Date(clock.nowMs() - limitWindowMs).toISOString());
  const resets = await removeOldResets(db, new Date(clock.nowMs() - keptDays * 86_400_000).toISOString());
  return requests + resets;
}

export const passwordResetJobs: Jobs = {
  'answer-password-requests': {
    description: 'Sends password links that were requested.',
    schedule: '* * * * *',
    counted: 'requests answered',
    run: answerResetRequests,
    wakeOn: { cacheKey: 'mails' },
  },
  'prune-password-resets': {
    description: 'Removes password links that expired a week ago.',
    schedule: '43 * * * *',
    counted: 'links and requests removed',
    run: prunePasswordResets,
  },
};
