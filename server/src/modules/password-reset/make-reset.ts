import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction, type Tx } from '../../events/change.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { newUuid } from '../../platform/identity/identifier.ts';
import { textsFor } from '../../platform/text/catalogues.ts';
import { createOpaqueToken, hashToken } from '../../platform/crypto/opaque-token.ts';
import { type MailDraft, prepareMail, queueMail, withdrawMail } from '../mail/index.ts';
import type { SignInOrigin } from '../rooms/index.ts';
import { endResets, insertReset, lockPerson, type Person } from './store.ts';
import { resetMail } from './reset-mail.ts';

export const validMinutes = 60;
export const tokenPrefix = 'fpr';

/** A link to be made: its token is known to nobody before it is mailed or shown. */
export interface PreparedReset {
  readonly person: Person;
  readonly door: SignInOrigin | null;
  readonly tokenHash: Buffer;
  readonly url: string;
  readonly expiresAt: string;
  readonly mail: MailDraft | null;
}

export interface MadeReset {
  readonly email: string;
  readonly mailed: boolean;
  /** Null where it is mailed. */
  readonly url: string | null;
  readonly expiresAt: string;
}

/**
 * Makes a link for somebody, and mails it where there is a mail server. Earlier links of the person end.
 * @param permit is asked with the person locked: what it throws refuses the link.
 */
export async function makeReset(
  dependencies: Dependencies,
  actor: Actor,
  person: Person,
  permit?: (tx: Tx) => Promise<void>,
): Promise<MadeReset> {
  const prepared = await prepareReset(dependencies, person);
  await inTransaction(dependencies, actor, async (change) => {
    await lockPerson(change.tx, person);
    await permit?.(change.tx);
    await storeReset(change, prepared);
  });
  const mailed = prepared.mail !== null;
  return { email: person.email, mailed, url: mailed ? null : prepared.url, expiresAt: prepared.expiresAt };
}

export async function prepareReset(
  dependencies: Dependencies,
  person: Person,
  door: SignInOrigin | null = null,
): Promise<PreparedReset> {
  const { catalogues, clock, mailer, publicUrl, settings } = dependencies;
  const token = createOpaqueToken(tokenPrefix);
  const url = `${publicUrl()}/password-reset/${token}`;
  const expiresAt = new Date(clock.nowMs() + validMinutes * 60_000).toISOString();
  const texts = textsFor(catalogues, person.locale);
  const contents = resetMail(texts, { platform: settings().platform_name, email: person.email, url });
  const mail = mailer
    ? await prepareMail(dependencies, {
        kind: 'password-reset',
        recipient: person.email,
        locale: person.locale,
        contents,
        expiresAt,
      })
    : null;
  return { person, door, tokenHash: hashToken(token), url, expiresAt, mail };
}

/** As part of a change. */
export async function storeReset(change: Change, prepared: PreparedReset): Promise<void> {
  const { person, door, tokenHash, expiresAt, mail } = prepared;
  const { tx, now, emit } = change;
  if (!(await lockPerson(tx, person))) return;
  await endLinks(change, person);
  await insertReset(tx, {
    id: newUuid(),
    admin_id: person.population === 'admins' ? person.id : null,
    user_id: person.population === 'users' ? person.id : null,
    token_hash: tokenHash,
    mailed: mail !== null,
    mail_id: mail?.id ?? null,
    room_id: door?.roomId ?? null,
    room_token_id: door?.roomTokenId ?? null,
    expires_at: expiresAt,
    created_at: now,
  });
  if (mail) await queueMail(change, mail);
  const kind = person.population === 'admins' ? 'admin' : 'user';
  await emit({
    name: `${kind}.password_reset_requested`,
    resource: { type: kind === 'admin' ? 'Admin' : 'User', id: person.id },
    after: { mailed: mail !== null, expires_at: expiresAt },
  });
}

/** The person's links end, also those that are still to be mailed. */
export async function endLinks(change: Change, person: Pick<Person, 'population' | 'id'>): Promise<void> {
  for (const mailId of await endResets(change.tx, person, change.now)) await withdrawMail(change, mailId);
}
