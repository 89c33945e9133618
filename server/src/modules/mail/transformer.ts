import { Mail, MailWithContents } from '@foyer/contract/resources/platform/mail.ts';
import { defineView } from '../../platform/list-query/view.ts';
import type { ContentFields } from './mail-contents.ts';
import type { MailRow } from './store.ts';

/** The mail without its contents, as in lists. */
export const mailView = defineView<typeof Mail.fields, Omit<MailRow, 'content_sealed'>>({
  resource: Mail,
  table: 'mails',
});

type MailWithContentsRow = MailRow & ContentFields;

export const mailWithContentsView = defineView<typeof MailWithContents.fields, MailWithContentsRow>({
  resource: MailWithContents,
  table: 'mails',
});
