import { Logger, type Runner, run } from 'graphile-worker';
import type { Pool } from 'pg';
import type { House } from './compose.ts';
import { pruneAllowances } from './database/lease-allowance.ts';
import type { Dependencies } from './dependencies.ts';
import { superviseQueue } from './supervise-queue.ts';
import { sealAudit } from './modules/audit/jobs.ts';
import { pruneTokens } from './modules/auth/jobs.ts';
import { pruneMails, sendMails } from './modules/mail/jobs.ts';
import { pruneIdempotencyKeys } from './modules/idempotency/jobs.ts';
import { endMeetings, forgetParticipants, keepMinutes, syncMeetings } from './modules/meetings/jobs.ts';
import { answerResetRequests, prunePasswordResets } from './modules/password-reset/jobs.ts';
import { expireRecordings, syncRecordings } from './modules/recordings/jobs.ts';
import { rollUpUsage } from './modules/reports/jobs.ts';
import { checkProviders } from './modules/service-providers/jobs.ts';
import { makeRoomTokens } from './modules/rooms/jobs.ts';
import { changePackages, expireSubscriptions, reconcileUsage, resetUsage } from './modules/subscriptions/jobs.ts';

export interface Job {
  readonly description: string;
  /** When it runs by itself, as in a crontab. */
  readonly schedule: string;
  /** What the number says that a run comes to. */
  readonly counted: string;
  /** Safe to run twice, at once, and on several nodes. */
  readonly run: (dependencies: Dependencies) => Promise<number>;
}

export const jobs: Readonly<Record<string, Job>> = {
  'change-packages': {
    description: 'Moves subscriptions to other packages whose scheduled day has come.',
    schedule: '* * * * *',
    counted: 'changes of package made or given up',
    run: changePackages,
  },
  'expire-subscriptions': {
    description: 'Suspends subscriptions whose dates have passed.',
    schedule: '* * * * *',
    counted: 'subscriptions suspended',
    run: expireSubscriptions,
  },
  'reset-usage': {
    description: 'Begins the usage of features anew whose window has passed.',
    schedule: '*/5 * * * *',
    counted: 'windows begun anew',
    run: resetUsage,
  },
  'reconcile-usage': {
    description: 'Counts accounts, rooms and recordings again and reports drift of the usage.',
    schedule: '17 * * * *',
    counted: 'usages put right',
    run: reconcileUsage,
  },
  'roll-up-usage': {
    description: 'Adds up for reports what was used on days that are over, or were changed since.',
    schedule: '* * * * *',
    counted: 'days added up',
    run: rollUpUsage,
  },
  'check-providers': {
    description: 'Asks every active provider that was not asked anyway how it is.',
    schedule: '* * * * *',
    counted: 'providers asked',
    run: checkProviders,
  },
  'sync-meetings': {
    description: 'Asks every provider with meetings once who is in them, and charges minutes.',
    schedule: '* * * * *',
    counted: 'meetings looked at',
    run: syncMeetings,
  },
  'sync-recordings': {
    description:
      'Brings recordings in line with what the providers have, and has these carry out what was changed here.',
    schedule: '* * * * *',
    counted: 'recordings changed',
    run: syncRecordings,
  },
  'expire-recordings': {
    description: 'Deletes recordings that are older than their rooms keep them.',
    schedule: '27 * * * *',
    counted: 'recordings deleted',
    run: expireRecordings,
  },
  'end-meetings': {
    description:
      'Ends meetings whose subscription, account or customer is out of use, whose minutes are used up, or whose room is gone.',
    schedule: '* * * * *',
    counted: 'meetings ended',
    run: endMeetings,
  },
  'make-room-tokens': {
    description: 'Makes the room tokens that were asked for in batches.',
    schedule: '* * * * *',
    counted: 'rows of batches done',
    run: makeRoomTokens,
  },
  'forget-participants': {
    description: 'Forgets the names of participants after the days that a setting names.',
    schedule: '*/10 * * * *',
    counted: 'names forgotten',
    run: forgetParticipants,
  },
  'answer-password-requests': {
    description: 'Makes links for whoever forgot a password.',
    schedule: '* * * * *',
    counted: 'requests answered',
    run: answerResetRequests,
  },
  'prune-password-resets': {
    description: 'Forgets links to choose a password that ended a week ago.',
    schedule: '43 * * * *',
    counted: 'links and requests forgotten',
    run: prunePasswordResets,
  },
  'send-mails': {
    description: 'Sends the mails that wait.',
    schedule: '* * * * *',
    counted: 'mails sent',
    run: sendMails,
  },
  'prune-mails': {
    description: 'Forgets to whom mails went a month ago.',
    schedule: '23 4 * * *',
    counted: 'mails forgotten',
    run: pruneMails,
  },
  'seal-audit': {
    description: 'Puts the entries of the audit log into its chain.',
    schedule: '* * * * *',
    counted: 'entries sealed',
    run: sealAudit,
  },
  'prune-rate-limits': {
    description: 'Removes what was counted in minutes that have passed.',
    schedule: '* * * * *',
    counted: 'windows removed',
    run: pruneAllowances,
  },
  'prune-tokens': {
    description: 'Removes tokens that nobody can use any more.',
    schedule: '37 * * * *',
    counted: 'tokens and codes removed',
    run: pruneTokens,
  },
  'prune-failed-attempts': {
    description: 'Forgets failed attempts to get in that count no more.',
    schedule: '*/10 * * * *',
    counted: 'attempts forgotten',
    run: ({ guesses }) => guesses.prune(),
  },
  'prune-idempotency-keys': {
    description:
      'Forgets the answers to requests with an Idempotency-Key after a day, or above 10,000 or 32 MiB of one caller.',
    schedule: '* * * * *',
    counted: 'answers forgotten',
    run: pruneIdempotencyKeys,
  },
};

/** What is also done as soon as there is something to do. */
const promptJobs = ['answer-password-requests', 'send-mails'];

/** Runs jobs as they are due, on as many nodes as there are; each run of a schedule is taken by one of them. */
export async function startWorker({
  jobDependencies: dependencies,
  pools,
  bulletin,
  health,
}: House): Promise<Pick<Runner, 'stop'>> {
  const { logger } = dependencies;
  const queue = await superviseQueue(() => runQueue(dependencies, pools.queue.pool), logger);
  health.watch('worker', () => (queue.isRunning() ? 'ok' : 'restarting'));
  const hasten = (name: string, runAt?: Date) => queue.hasten(name, runAt);
  bulletin.subscribe('mails', () => promptJobs.forEach((name) => hasten(name)));
  bulletin.subscribe('room-tokens', () => hasten('make-room-tokens'));
  bulletin.subscribe('provider-checks', () => hasten('check-providers'));
  // For how many days names are kept may be less now, which every process has heard of by then.
  bulletin.subscribe('settings', () => {
    hasten('forget-participants', new Date(dependencies.clock.nowMs() + heardWithinMs));
  });
  const keeper = keepMinutes(dependencies);
  bulletin.subscribe('minutes', keeper.wake);
  return {
    async stop() {
      await Promise.all([keeper.stop(), queue.stop()]);
    },
  };
}

const heardWithinMs = 2000;

function runQueue(dependencies: Dependencies, pgPool: Pool): Promise<Runner> {
  const { logger } = dependencies;
  return run({
    pgPool,
    concurrency: 2,
    pollInterval: 2000,
    noHandleSignals: true,
    // Without a batch, graphile-worker does not handle it when the end of a job cannot be stored.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: new Logger(() => (level, message) => {
      if (level === 'error') logger.error({ worker: true }, message);
      else if (level === 'warning') logger.warn({ worker: true }, message);
      else logger.debug({ worker: true }, message);
    }),
    crontab: Object.entries(jobs)
      .map(([name, job]) => `${job.schedule} ${name} ?max=3&jobKey=${name}`)
      .join('\n'),
    taskList: Object.fromEntries(
      Object.entries(jobs).map(([name, job]) => [
        name,
        async () => {
          const changed = await job.run(dependencies);
          logger.debug({ job: name, changed }, 'job done');
        },
      ]),
    ),
  });
}
