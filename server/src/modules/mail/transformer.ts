import { Mail, MailWithContents } from '@foyer/contract/resources/platform/mail.ts';
import { defineView } from '../../platform/list-query/view.ts';
import { instantOrNull } from '../../platform/row-members.ts';
import type { ReadContents } from './mail-contents.ts';
import type { MailRow } from './store.ts';

/** Without the contents. */
type MailSummary = Omit<MailRow, 'content_sealed'>;

const mail = (row: MailSummary) => ({
  recipient: row.recipient,
  subject: row.subject,
  kind: row.kind,
  state: row.state,
  locale: row.locale,
  attempts: row.attempts,
  last_error: row.last_error,
  finished_at: instantOrNull(row.finished_at),
});

export const mailView = defineView<typeof Mail.fields, MailSummary>({
  resource: Mail,
  table: 'mails',
  transform: mail,
});

type ReadMail = MailRow & ReadContents;

export const mailWithContentsView = defineView<typeof MailWithContents.fields, ReadMail>({
  resource: MailWithContents,
  table: 'mails',
  transform: (row) => ({ ...mail(row), text: row.text, html: row.html, attachments: row.attachments }),
});
