import type { Transporter } from 'nodemailer';
import pRetry from 'p-retry';
import type { Mail, Mailer } from './mailer.ts';

export interface SmtpOptions {
  /** `smtp://user:password@host:587` */
  readonly url: string;
  /** Sender of all mails. */
  readonly from: string;
  readonly publicUrl: string;
  /** Milliseconds before the second attempt, doubled for the third. Default: a second. */
  readonly pauseMs?: number;
}

/** The mails of a request are sent while it waits. */
const ATTEMPTS = 3;
const PAUSE_MS = 1_000;
const TIMEOUT_MS = 5_000;
/** Mail servers answer with texts of any length. */
const MAX_REASON = 300;

/** Opens a mailer that speaks SMTP. It connects for each mail. */
export async function openSmtpMailer({ url, from, publicUrl, pauseMs = PAUSE_MS }: SmtpOptions): Promise<Mailer> {
  // Not loaded by servers that send no mail.
  const { createTransport } = await import('nodemailer');
  const transport: Transporter = createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    // Texts of callers name no files and addresses to attach.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    publicUrl,
    async send({ to, subject, text }: Mail) {
      const attempt = () => transport.sendMail({ from, to: { name: '', address: to }, subject, text });
      const shouldRetry = ({ error }: { readonly error: Error }) => mayPass(error);
      try {
        await pRetry(attempt, { retries: ATTEMPTS - 1, minTimeout: pauseMs, shouldRetry });
        return null;
      } catch (error) {
        return (error as Error).message.slice(0, MAX_REASON);
      }
    },
  };
}

/** A refusal of the mail server with a code from 500 on is final. */
const mayPass = (error: Error): boolean => ((error as { responseCode?: number }).responseCode ?? 0) < 500;
