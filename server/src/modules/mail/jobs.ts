import type { Jobs } from '../../module.ts';
import type { Dependencies } from '../../dependencies.ts';
import { epochMs } from '../../platform/time/instant.ts';
import { MailNotTaken, type MailAddress, type Mailer, sendingMs } from '../../platform/mailer.ts';
import { SecretUnreadable } from '../../platform/crypto/secret-box.ts';
import type { ComposedMail } from './compose-mail.tsx';
import { mailPlace } from './queue-mail.ts';
import { claimMails, finishMail, type MailRow, postponeMail, removeFinishedMails } from './store.ts';

const atOnce = 5;
/** Longer than a server may take: nobody sends what another still sends. */
const holdMs = sendingMs * 3;
const retryMinutes = [1, 5, 15, 30, 60, 120, 240, 360, 480];
const keptDays = 30;

/** Sends what waits, oldest first. @returns how many mails the server took */
async function sendMails(dependencies: Dependencies): Promise<number> {
  const { mailer, clock, db } = dependencies;
  if (!mailer) return 0;
  let total = 0;
  for (;;) {
    const heldUntil = new Date(clock.nowMs() + holdMs).toISOString();
    const claimed = await claimMails(db, { now: clock.now(), heldUntil, limit: atOnce });
    const outcomes = await Promise.all(claimed.map((mail) => deliver(dependencies, mailer, mail)));
    const sent = outcomes.filter((outcome) => outcome === 'sent').length;
    total += sent;
    // A server that took none of them is given time: every mail waiting would wait for it in turn.
    if (claimed.length < atOnce || sent === 0) return total;
  }
}

/** Forgets to whom mails went. */
async function pruneMails({ db, clock }: Dependencies): Promise<number> {
  return await removeFinishedMails(db, new Date(clock.nowMs() - keptDays * 86_400_000).toISOString());
}

async function deliver(
  dependencies: Dependencies,
  mailer: Mailer,
  mail: MailRow,
): Promise<'sent' | 'postponed' | 'failed'> {
  const { db, clock, secretBox, logger } = dependencies;
  const about = { mail: mail.id, kind: mail.kind, attempts: mail.attempts };
  try {
    if (epochMs(mail.expires_at) <= clock.nowMs()) throw new MailNotTaken('expired');
    const content = JSON.parse(await secretBox.open(mail.content_sealed ?? '', mailPlace(mail.id))) as ComposedMail;
    await mailer.send({
      messageId: `${mail.id}@${hostOf(dependencies)}`,
      from: mailer.from ?? defaultSender(dependencies),
      to: mail.recipient,
      ...content,
    });
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    const dueAt = nextAttempt(mail, clock.nowMs(), error instanceof SecretUnreadable);
    if (dueAt === null) {
      await finishMail(db, mail.id, { status: 'failed', error: reason, now: clock.now() });
      logger.error({ ...about, reason }, 'mail given up');
      return 'failed';
    }
    await postponeMail(db, mail.id, { dueAt, error: reason, now: clock.now() });
    logger.warn({ ...about, reason, dueAt }, 'mail not taken, to be tried again');
    return 'postponed';
  }
  await finishMail(db, mail.id, { status: 'sent', error: null, now: clock.now() });
  logger.info(about, 'mail sent');
  return 'sent';
}

function reasonOf(error: unknown): string | null {
  if (error instanceof MailNotTaken) return error.message;
  return error instanceof SecretUnreadable ? error.reason : null;
}

/** Null: nothing is gained by trying again. */
function nextAttempt(mail: MailRow, nowMs: number, isHopeless: boolean): string | null {
  const minutes = retryMinutes[mail.attempts - 1];
  if (minutes === undefined || isHopeless) return null;
  const dueMs = nowMs + minutes * 60_000;
  return dueMs < epochMs(mail.expires_at) ? new Date(dueMs).toISOString() : null;
}

function defaultSender(dependencies: Dependencies): MailAddress {
  return { name: dependencies.settings().platform_name, address: `no-reply@${hostOf(dependencies)}` };
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
    description: 'Removes the recipients of mails that are a month old.',
    schedule: '23 4 * * *',
    counted: 'mails removed',
    run: pruneMails,
  },
};
