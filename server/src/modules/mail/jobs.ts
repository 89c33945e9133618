import type { Jobs } from '../../module.ts';
import type { Dependencies } from '../../dependencies.ts';
import { epochMs } from '../../platform/time/instant.ts';
import { MailNotAccepted, type MailAddress, type Mailer, sendingMs } from '../../platform/mailer.ts';
import { SecretUnreadable } from '../../platform/crypto/secret-box.ts';
import type { ComposedMail } from './compose-mail.tsx';
import { mailAssociatedData } from './queue-mail.ts';
import { claimMails, finishMail, type MailRow, postponeMail, removeFinishedMails } from './store.ts';

const batchSize = 5;
/** Longer than the mailer's time-out, so that no two workers send the same mail. */
const leaseMs = sendingMs * 3;
const retryMinutes = [1, 5, 15, 30, 60, 120, 240, 360, 480];
const retentionDays = 30;

/** Sends due mails, oldest first. @returns the number sent */
async function sendMails(dependencies: Dependencies): Promise<number> {
  const { mailer, clock, db } = dependencies;
  if (!mailer) return 0;
  let total = 0;
  for (;;) {
    const heldUntil = new Date(clock.nowMs() + leaseMs).toISOString();
    const claimed = await claimMails(db, { now: clock.now(), heldUntil, limit: batchSize });
    const outcomes = await Promise.all(claimed.map((mail) => deliver(dependencies, mailer, mail)));
    const sent = outcomes.filter((outcome) => outcome === 'sent').length;
    total += sent;
    // If the server accepted none of the batch, the remaining mails wait for the next run.
    if (claimed.length < batchSize || sent === 0) return total;
  }
}

async function pruneMails({ db, clock }: Dependencies): Promise<number> {
  return await removeFinishedMails(db, new Date(clock.nowMs() - retentionDays * 86_400_000).toISOString());
}

async function deliver(
  dependencies: Dependencies,
  mailer: Mailer,
  mail: MailRow,
): Promise<'sent' | 'postponed' | 'failed'> {
  const { db, clock, secretBox, logger } = dependencies;
  const logFields = { mail: mail.id, kind: mail.kind, attempts: mail.attempts };
  try {
    if (epochMs(mail.expires_at) <= clock.nowMs()) throw new MailNotAccepted('expired');
    const content = JSON.parse(
      await secretBox.open(mail.content_sealed ?? '', mailAssociatedData(mail.id)),
    ) as ComposedMail;
    await mailer.send({
      messageId: `${mail.id}@${hostOf(dependencies)}`,
      from: senderOf(dependencies),
      to: mail.recipient,
      ...content,
    });
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    const dueAt = nextAttempt(mail, clock.nowMs(), error instanceof SecretUnreadable);
    if (dueAt === null) {
      await finishMail(db, mail.id, { state: 'failed', error: reason, now: clock.now() });
      logger.error({ ...logFields, reason }, 'mail failed');
      return 'failed';
    }
    await postponeMail(db, mail.id, { dueAt, error: reason, now: clock.now() });
    logger.warn({ ...logFields, reason, dueAt }, 'mail not accepted, will be retried');
    return 'postponed';
  }
  await finishMail(db, mail.id, { state: 'sent', error: null, now: clock.now() });
  logger.info(logFields, 'mail sent');
  return 'sent';
}

function reasonOf(error: unknown): string | null {
  if (error instanceof MailNotAccepted) return error.message;
  return error instanceof SecretUnreadable ? error.reason : null;
}

/** Null if the mail is not retried. */
function nextAttempt(mail: MailRow, nowMs: number, isPermanent: boolean): string | null {
  const minutes = retryMinutes[mail.attempts - 1];
  if (minutes === undefined || isPermanent) return null;
  const dueMs = nowMs + minutes * 60_000;
  return dueMs < epochMs(mail.expires_at) ? new Date(dueMs).toISOString() : null;
}

/** The sender of all mails. */
export function senderOf(dependencies: Dependencies): MailAddress {
  const { mailer, settings } = dependencies;
  return mailer?.from ?? { name: settings().platform_name, address: `no-reply@${hostOf(dependencies)}` };
}

function hostOf({ publicUrl }: Dependencies): string {
  return new URL(publicUrl()).hostname;
}

export const mailJobs: Jobs = {
  'send-mails': {
    description: 'Sends queued mails.',
    schedule: '* * * * *',
    counted: 'mails sent',
    run: sendMails,
    wakeOn: { cacheKey: 'mails' },
  },
  'prune-mails': {
    description: 'Removes mails 30 days after they were sent, failed, kept or withdrawn.',
    schedule: '23 4 * * *',
    counted: 'mails removed',
    run: pruneMails,
  },
};
