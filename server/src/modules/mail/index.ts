export { mailContents, type MailContents, type MailDraft, prepareMail, queueMail, withdrawMail } from './queue-mail.ts';
