import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction, type Tx } from '../../events/change.ts';
import { eventAbout } from '../../events/row-event.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { newUuid } from '../../platform/identity/identifier.ts';
import { textsFor, fill, type Texts } from '../../platform/text/catalogues.ts';
import { createOpaqueToken, hashToken } from '../../platform/crypto/opaque-token.ts';
import { type MailDraft, prepareMail, queueMail, withdrawMail, type MailContents } from '../mail/index.ts';
import type { SignInOrigin } from '../rooms/index.ts';
import { endResets, insertReset, lockPerson, type Person } from './store.ts';

export const validMinutes = 60;
export const tokenPrefix = 'fpr';

/** A link that has not been stored yet. */
export interface PreparedReset {
  readonly person: Person;
  readonly origin: SignInOrigin | null;
  readonly tokenHash: Buffer;
  readonly url: string;
  readonly expiresAt: string;
  readonly mail: MailDraft | null;
}

export interface CreatedReset {
  readonly email: string;
  readonly mailed: boolean;
  /** Null if the link is mailed. */
  readonly url: string | null;
  readonly expiresAt: string;
}

/**
 * Creates a link, and mails it if there is a mail server. Invalidates earlier links of the person.
 * @param checkPermission runs while the person is locked, and throws to refuse the link
 */
export async function createReset(
  dependencies: Dependencies,
  actor: Actor,
  person: Person,
  checkPermission?: (tx: Tx) => Promise<void>,
): Promise<CreatedReset> {
  const prepared = await prepareReset(dependencies, person);
  await inTransaction(dependencies, actor, async (change) => {
    await lockPerson(change.tx, person);
    await checkPermission?.(change.tx);
    await storeReset(change, prepared);
  });
  const mailed = prepared.mail !== null;
  return { email: person.email, mailed, url: mailed ? null : prepared.url, expiresAt: prepared.expiresAt };
}

export async function prepareReset(
  dependencies: Dependencies,
  person: Person,
  origin: SignInOrigin | null = null,
): Promise<PreparedReset> {
  const { catalogues, clock, mailer, publicUrl, settings } = dependencies;
  const token = createOpaqueToken(tokenPrefix);
  const url = `${publicUrl()}/password-reset/${token}`;
  const expiresAt = new Date(clock.nowMs() + validMinutes * 60_000).toISOString();
  const texts = textsFor(catalogues, person.locale);
  const contents = resetMail(texts, { platform: settings().platform_name, email: person.email, url });
  const mail = mailer
    ? await prepareMail(dependencies, {
        kind: 'password_reset',
        recipient: person.email,
        locale: person.locale,
        contents,
        expiresAt,
      })
    : null;
  return { person, origin, tokenHash: hashToken(token), url, expiresAt, mail };
}

export async function storeReset(change: Change, prepared: PreparedReset): Promise<void> {
  const { person, origin, tokenHash, expiresAt, mail } = prepared;
  const { tx, now, emit } = change;
  if (!(await lockPerson(tx, person))) return;
  await invalidateLinks(change, person);
  await insertReset(tx, {
    id: newUuid(),
    admin_id: person.population === 'admins' ? person.id : null,
    user_id: person.population === 'users' ? person.id : null,
    token_hash: tokenHash,
    mailed: mail !== null,
    mail_id: mail?.id ?? null,
    room_id: origin?.roomId ?? null,
    room_token_id: origin?.roomTokenId ?? null,
    expires_at: expiresAt,
    created_at: now,
  });
  if (mail) await queueMail(change, mail);
  const kind = person.population === 'admins' ? 'admin' : 'user';
  await emit(
    eventAbout(`${kind}.password_reset_requested`, person.id, {
      details: { mailed: mail !== null, expires_at: expiresAt },
    }),
  );
}

/** Invalidates the person's links and withdraws mails that have not been sent. */
export async function invalidateLinks(change: Change, person: Pick<Person, 'population' | 'id'>): Promise<void> {
  for (const mailId of await endResets(change.tx, person, change.now)) await withdrawMail(change, mailId);
}

function resetMail(
  { passwordReset: { mail } }: Texts,
  { url, ...values }: { readonly platform: string; readonly email: string; readonly url: string },
): MailContents {
  return {
    subject: fill(mail.subject, values),
    heading: mail.heading,
    paragraphs: [fill(mail.requested, values)],
    action: { label: mail.action, url },
    notes: [mail.validity, mail.unexpected],
  };
}
