import { defineModule } from '../../module.ts';
import { checkMailServer } from './health-checks.ts';
import { mailJobs } from './jobs.ts';
import { mailContentColumn } from './queue-mail.ts';

export {
  mailContentColumn,
  type MailContents,
  type MailDraft,
  prepareMail,
  queueMail,
  withdrawMail,
} from './queue-mail.ts';

export const mail = defineModule({
  name: 'mail',
  jobs: mailJobs,
  encryptedColumns: [mailContentColumn],
  healthChecks: [checkMailServer],
});
