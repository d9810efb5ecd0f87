/** Bytes in which the header of a message is looked for. */
const HEAD_BYTES = 16_384;
const FIELD = /^([A-Za-z][A-Za-z-]{1,60}):/;
/** Three of these at the beginning make a message. */
const KNOWN = new Set(
  'from to date subject received return-path message-id mime-version delivered-to content-type reply-to'.split(' '),
);
const MULTIPART = /^content-type:\s*multipart\//i;
/** A text of a person may begin with `From:` and `To:`, but not with one of these, nor with the type of a message in parts. */
const CERTAIN = new Set('received return-path message-id mime-version delivered-to'.split(' '));

/** Returns whether a file begins as a message does. */
export function isMessage(bytes: Uint8Array): boolean {
  const { known, isMultipart } = headerAt(headOf(bytes));
  return known.length >= 3 && known.includes('from') && (isMultipart || known.some((name) => CERTAIN.has(name)));
}

/** Returns whether a file begins as a mailbox in the format mbox does: with a line `From …` before the header of a message. */
export function isMailbox(bytes: Uint8Array): boolean {
  const [line] = /^From [^\r\n]*\r?\n/.exec(headOf(bytes)) ?? [];
  if (line === undefined) return false;
  const { known } = headerAt(headOf(bytes).slice(line.length));
  return known.length >= 2 && known.includes('from');
}

/** Returns whether a line that begins with `From ` and the one below it begin a message of a mailbox, and are no words of one. */
export function beginsMessage(line: string, below: string): boolean {
  const name = FIELD.exec(below)?.[1]?.toLowerCase();
  if (name === undefined) return false;
  return KNOWN.has(name) || /^(?:x-|status$)/.test(name) || (/\b\d\d?:\d\d\b/.test(line) && /\b\d{4}\b/.test(line));
}

const headOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES)).toString('latin1');

/** The fields with known names of the header with which a text begins. */
function headerAt(text: string): { readonly known: readonly string[]; readonly isMultipart: boolean } {
  const names = new Set<string>();
  let isMultipart = false;
  for (const line of text.split(/\r?\n/)) {
    if (/^[ \t]/.test(line) && names.size > 0) continue;
    const name = FIELD.exec(line)?.[1]?.toLowerCase();
    if (name === undefined) break;
    names.add(name);
    isMultipart ||= MULTIPART.test(line);
  }
  return { known: [...names].filter((name) => KNOWN.has(name)), isMultipart };
}
