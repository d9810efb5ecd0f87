import type { Config } from '#platform/config';
import { type Mailer, openSmtpMailer } from '#platform/mail';

/** Opens what sends the mails of the settings; null: none are sent. */
export async function openMailer({ smtpUrl, publicUrl, mailFrom }: Config): Promise<Mailer | null> {
  if (smtpUrl === null || publicUrl === null) return null;
  return openSmtpMailer({ url: smtpUrl, publicUrl, from: mailFrom ?? `mneme@${new URL(publicUrl).hostname}` });
}
