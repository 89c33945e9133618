import { fill, type Texts } from '../../platform/text/catalogues.ts';
import type { MailContents } from '../mail/index.ts';

export function resetMail(
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
