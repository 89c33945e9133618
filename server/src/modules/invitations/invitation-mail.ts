import { fill, type Texts } from '../../platform/text/catalogues.ts';
import type { MailContents } from '../mail/index.ts';
import type { Target } from './store.ts';

export function invitationMail(
  { invitation: { mail } }: Texts,
  { level, name, customerName }: Pick<Target, 'level' | 'name' | 'customerName'>,
  { platform, url }: { readonly platform: string; readonly url: string },
): MailContents {
  const values = { platform, name, customer: customerName };
  return {
    subject: fill(mail.subject, values),
    heading: fill(mail.heading, values),
    paragraphs: [fill(level === 'customer' ? mail.invitedByCustomer : mail.invited, values)],
    action: { label: mail.action, url },
    notes: [mail.validity, mail.unexpected],
  };
}
