import { Mail, MailWithContents } from '@foyer/contract/resources/platform/mail.ts';
import { defineView } from '../../platform/list-query/view.ts';
import type { ReadContents } from './mail-contents.ts';
import type { MailRow } from './store.ts';

/** Without the contents. */
export const mailView = defineView<typeof Mail.fields, Omit<MailRow, 'content_sealed'>>({
  resource: Mail,
  table: 'mails',
});

type ReadMail = MailRow & ReadContents;

export const mailWithContentsView = defineView<typeof MailWithContents.fields, ReadMail>({
  resource: MailWithContents,
  table: 'mails',
});
