import type { Dependencies } from '../../dependencies.ts';
import type { Finding } from '../../module.ts';

export async function checkMailServer({ mailer }: Dependencies): Promise<Finding[]> {
  if (!mailer)
    return [
      {
        subject: 'mail',
        state: 'warning',
        text: 'no mail server is configured: mails are not sent, but can be read in the console',
      },
    ];
  const problem = await mailer.check();
  return [
    problem === null
      ? { subject: 'mail', state: 'ok', text: 'the mail server accepts mails' }
      : { subject: 'mail', state: 'fault', text: `the mail server does not accept mails: ${problem}` },
  ];
}
