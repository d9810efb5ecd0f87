import type { ReadableText } from '../extractors/extractor.ts';

/** A message as it is read, whatever the format of its file. */
export interface Message {
  readonly subject: string | null;
  /** Names, or else addresses, with commas between them; empty: there is none. */
  readonly from: string;
  readonly to: string;
  readonly cc: string;
  /** ISO 8601, or as the message writes it. */
  readonly date: string | null;
  /** Names of the files, which are not read. */
  readonly attachments: readonly string[];
  readonly body: string;
  readonly forwarded: readonly Message[];
}

/** Messages inside each other; a deeper one is named like any other file. */
export const MAX_FORWARDED = 10;
/** Messages in a file. */
export const MAX_MESSAGES = 10_000;
const MAX_LEVEL = 6;

/** A message that is a file of its own, with the ones that it forwards. */
export const readableMessage = (message: Message): ReadableText => ({
  text: messageText(message),
  title: message.subject,
  titleComesFirst: true,
  author: message.from || null,
  date: message.date,
});

/**
 * A message with the ones that it forwards, each under its subject.
 * @param level of its heading. Absent: the message is alone, and without a subject it has none
 */
export function messageText(
  { subject, from, to, cc, date, attachments, body, forwarded }: Message,
  level?: number,
): string {
  const words = subject?.replace(/\s+/g, ' ') ?? (level === undefined ? '' : '(no subject)');
  const header = [
    ['From', from],
    ['To', to],
    ['Cc', cc],
    ['Date', date ?? ''],
    ['Attachments', attachments.join(', ')],
  ]
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}`);
  return [
    words === '' ? '' : `${'#'.repeat(Math.min(level ?? 1, MAX_LEVEL))} ${words}`,
    header.join('\n'),
    body,
    ...forwarded.map((one) => messageText(one, (level ?? 1) + 1)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
