export { MAILER, type Mail, type Mailer } from './mailer.ts';
export { openSmtpMailer } from './smtp-mailer.ts';
