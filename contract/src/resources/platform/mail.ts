import { endpoint, holders, list, single } from '../../conventions/endpoint.ts';
import { derived, instant, integer, listOf, nullable, object, oneOf, text } from '../../conventions/field.ts';
import { identity, resource, timestamps, variant } from '../../conventions/resource.ts';
import { notificationKinds } from './notification.ts';

export const mailKinds = ['invitation', 'password_reset', ...notificationKinds] as const;
export const mailStates = ['queued', 'sent', 'failed', 'withdrawn', 'kept'] as const;

/** A mail of the last 30 days. */
export const Mail = resource('mail', {
  readPermission: 'read-settings',
  fields: {
    ...identity('mail'),
    recipient: text(254, { freeText: true }),
    subject: text(500, { freeText: true }),
    kind: oneOf(mailKinds),
    state: oneOf(
      mailStates,
      '`queued`: it will be sent, or sent again, soon. `kept`: no mail server is configured, so it is only shown here.',
    ),
    locale: text(35),
    attempts: integer(),
    last_error: nullable(text(150, { description: 'Why the mail server did not accept the mail.' })),
    finished_at: nullable({ ...instant(), description: 'When it was sent, failed, withdrawn or kept.' }),
    ...timestamps(),
  },
  includes: {},
});

const contents =
  'Only for kept mails, and only for administrators with full access, because mails contain secret links.';

const attachment = object({
  file_name: text(255),
  content_type: text(255),
  content: text(1_000_000),
});

export const MailWithContents = variant(Mail, {
  fields: {
    ...Mail.fields,
    text: derived(nullable({ ...text(1_000_000), description: contents })),
    html: derived(nullable({ ...text(1_000_000), description: contents })),
    attachments: derived(nullable({ ...listOf(attachment), description: `Such as a calendar entry. ${contents}` })),
  },
});

const tag = 'Mails';

export const mailEndpoints = {
  listMails: endpoint({
    method: 'GET',
    path: '/mails',
    tag,
    summary: 'List mails',
    description: 'The mails of the last 30 days. Without a mail server, mails are kept here instead of being sent.',
    access: holders('read-settings'),
    answer: list(Mail),
  }),
  readMail: endpoint({
    method: 'GET',
    path: '/mails/:mail_id',
    tag,
    summary: 'Read a mail',
    access: holders('read-settings'),
    params: { mail_id: 'mail' },
    answer: single(MailWithContents),
  }),
};
