import type { Dependencies } from '../../dependencies.ts';
import type { Mails } from '../../database/tables.ts';
import type { Change } from '../../events/change.ts';
import { newUuid, type Uuid } from '../../platform/identity/identifier.ts';
import { textsFor } from '../../platform/text/catalogues.ts';
import { encryptedColumn } from '../../database/encrypted-column.ts';
import { composeMail, type MailBrand, type MailContents } from './compose-mail.tsx';
import { insertMail, storeWithdrawal } from './store.ts';

export type { MailBrand, MailContents } from './compose-mail.tsx';

type MailKind = Mails['kind'];

/** An encrypted mail that has not been queued yet. */
export interface MailDraft {
  readonly id: Uuid;
  readonly kind: MailKind;
  readonly recipient: string;
  readonly locale: string;
  readonly subject: string;
  readonly sealed: string;
  /** Without a mail server, mails are kept to be read in the console. */
  readonly isKept: boolean;
  /** When the link in the mail expires; it is not sent after that. */
  readonly expiresAt: string;
}

/** Composes and encrypts a mail. */
export async function prepareMail(
  { catalogues, secretBox, settings, mailer }: Pick<Dependencies, 'catalogues' | 'secretBox' | 'settings' | 'mailer'>,
  mail: {
    readonly kind: MailKind;
    readonly recipient: string;
    readonly locale: string;
    readonly contents: MailContents;
    readonly expiresAt: string;
    /** Absent: the branding of the platform. */
    readonly brand?: MailBrand;
  },
): Promise<MailDraft> {
  const id = newUuid();
  const composed = composeMail(mail.contents, textsFor(catalogues, mail.locale), mail.brand ?? settings());
  return {
    id,
    kind: mail.kind,
    recipient: mail.recipient,
    locale: mail.locale,
    subject: composed.subject,
    isKept: mailer === null,
    sealed: await secretBox.seal(JSON.stringify(composed), mailAssociatedData(id)),
    expiresAt: mail.expiresAt,
  };
}

/** The worker sends the mail after the transaction has committed. */
export async function queueMail({ tx, now, invalidate }: Change, draft: MailDraft): Promise<void> {
  await insertMail(tx, {
    id: draft.id,
    kind: draft.kind,
    recipient: draft.recipient,
    locale: draft.locale,
    subject: draft.subject,
    content_sealed: draft.sealed,
    state: draft.isKept ? 'kept' : 'queued',
    finished_at: draft.isKept ? now : null,
    due_at: now,
    expires_at: draft.expiresAt,
    created_at: now,
    updated_at: now,
  });
  if (!draft.isKept) invalidate('mails');
}

/** Cancels a mail that has not been sent yet. */
export async function withdrawMail({ tx, now }: Change, id: Uuid): Promise<void> {
  await storeWithdrawal(tx, id, now);
}

export function mailAssociatedData(id: Uuid): string {
  return `mails:${id}:content`;
}

export const mailContentColumn = encryptedColumn('mails', 'content_sealed', mailAssociatedData);
