import { defineModule } from '../../module.ts';
import { checkMailServer } from './health-checks.ts';
import { mailJobs, senderOf } from './jobs.ts';
import { mailContentColumn } from './queue-mail.ts';
import { mailRoutes } from './routes.ts';

export { senderOf };

export {
  mailContentColumn,
  type MailBrand,
  type MailContents,
  type MailDraft,
  prepareMail,
  queueMail,
  withdrawMail,
} from './queue-mail.ts';

export const mail = defineModule({
  name: 'mail',
  routes: mailRoutes,
  jobs: mailJobs,
  encryptedColumns: [mailContentColumn],
  healthChecks: [checkMailServer],
});
