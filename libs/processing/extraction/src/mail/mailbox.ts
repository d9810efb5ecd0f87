import { beginsMessage } from './detect-mail.ts';

/** The line before a message, behind the end of the one before, and what stands below it. */
const SEPARATOR = /(?:^|\n\r?\n)(From [^\r\n]*)\r?\n(?=([^\r\n]{0,100}))/g;
/** `From ` at the beginning of a line of a message has a mark before it in a mailbox, and so has the mark itself. */
const MARKED = /^>(?=>*From )/gm;

/** Gives the messages of a mailbox in the format mbox, one after the other. Linear. */
export function* messagesIn(bytes: Uint8Array): Iterable<Uint8Array> {
  const mailbox = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  let start: number | null = null;
  for (const { index, 0: matched, 1: line = '', 2: below = '' } of mailbox.matchAll(SEPARATOR)) {
    if (!beginsMessage(line, below)) continue;
    if (start !== null) yield message(mailbox.slice(start, index));
    start = index + matched.length;
  }
  if (start !== null) yield message(mailbox.slice(start));
}

const message = (text: string): Uint8Array => Buffer.from(text.replace(MARKED, ''), 'latin1');
