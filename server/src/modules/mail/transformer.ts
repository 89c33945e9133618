import { Mail, MailWithContents } from '@foyer/contract/resources/platform/mail.ts';
import { defineView } from '../../platform/list-query/view.ts';
import type { ReadContents } from './mail-contents.ts';
import type { MailRow } from './store.ts';

/** Without the contents. */
type MailSummary = Omit<MailRow, 'content_sealed'>;

export const mailView = defineView<typeof Mail.fields, MailSummary>({ resource: Mail, table: 'mails' });

export const mailWithContentsView = defineView<typeof MailWithContents.fields, MailRow & ReadContents>({
  resource: MailWithContents,
  table: 'mails',
});
