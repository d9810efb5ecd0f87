import { isAscii, isUtf8 } from 'node:buffer';
import type PostalMime from 'postal-mime';
import { charsetOf } from '../decoding/declared.ts';
import { decodeText } from '../decoding/decode-text.ts';
import { damagedFileError, ExtractionError, tooLarge } from '../failures.ts';
import { htmlToText } from '../html.ts';
import { COMMON_LIMITS, type FileExtractor } from './extractor.ts';

/** Bytes. */
const MAX_HEADER = 1024 * 1024;
const HEADER_END = /\r?\n\r?\n/;
const CONTENT_TYPE = /^content-type:([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)/im;
/** Bytes in which the header of a message is looked for. */
const HEAD_BYTES = 16_384;
const FIELD = /^([A-Za-z][A-Za-z-]{1,60}):/;
/** Two of these at the beginning make a message. */
const KNOWN = new Set(
  'from to date subject received return-path message-id mime-version delivered-to content-type reply-to'.split(' '),
);
/** Parts of a message; programs write less than a hundred. */
const MAX_PARTS = 10_000;
const BOUNDARY = /\bboundary\s*=\s*(?:"([^"\r\n]+)"|([^\s;"]+))/gi;
const MULTIPART = /^content-type:\s*multipart\//i;
/** A text of a person may begin with `From:` and `To:`, but not with one of these, nor with the type of a message in parts. */
const CERTAIN = new Set('received return-path message-id mime-version delivered-to'.split(' '));

/** An e-mail: its header, then its text. Attachments are named and not read. */
export const eml: FileExtractor = {
  kind: 'eml',
  reads: 'bytes',
  limits: COMMON_LIMITS,
  extensions: ['eml'],
  mediaTypes: ['message/rfc822'],
  fileTypes: [],
  detects: isMessage,
  async toText(bytes) {
    refuseManyParts(bytes);
    const { default: Parser } = await import('postal-mime');
    const parser = new Parser({ maxNestingDepth: 32, maxHeadersSize: MAX_HEADER });
    const encodings = correctCharsets(parser);
    const email = await parser.parse(await withHeaderInUtf8(bytes)).catch((error: unknown) => {
      throw error instanceof ExtractionError ? error : damagedFileError('an e-mail', error);
    });
    const body = email.text?.trim() ? email.text : email.html ? (await htmlToText(email.html)).text : '';
    const names = (list: typeof email.to) => list?.map(({ name, address }) => name || address).join(', ') ?? '';
    const from = email.from?.name || email.from?.address || '';
    const attachments = email.attachments.flatMap(({ filename }) => filename ?? []).join(', ');
    const header = [
      ['From', from],
      ['To', names(email.to)],
      ['Cc', names(email.cc)],
      ['Date', email.date ?? ''],
      ['Attachments', attachments],
    ]
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n');
    const heading = email.subject ? `# ${email.subject.replace(/\s+/g, ' ')}` : '';
    return {
      text: [heading, header, body].filter((part) => part !== '').join('\n\n'),
      title: email.subject ?? null,
      titleComesFirst: true,
      author: from || null,
      date: email.date ?? null,
      encoding: encodings.size === 1 ? ([...encodings][0] as string) : null,
    };
  },
};

/** Some programs write names and subjects in the charset of the text, which the parser reads as UTF-8. */
async function withHeaderInUtf8(bytes: Uint8Array): Promise<Uint8Array> {
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = HEADER_END.exec(message.subarray(0, MAX_HEADER).toString('latin1'))?.index ?? message.length;
  const header = message.subarray(0, end);
  if (isUtf8(header)) return message;
  const { text } = await decodeText(header, charsetOf(CONTENT_TYPE.exec(header.toString('latin1'))?.[1]));
  return Buffer.concat([Buffer.from(text), message.subarray(end)]);
}

/** A part of a message, as the parser reads it. */
interface Part {
  readonly contentType: { readonly parsed: { readonly value: string; readonly params: Record<string, string> } };
  readonly contentDisposition: { readonly parsed: { readonly value: string } };
  content: ArrayBuffer | null;
}

/** A method of the parser that its types leave out. It is called for each part, before its text is decoded. */
interface PartCollector {
  collectNode(part: Part, ...context: unknown[]): Promise<void>;
}

/**
 * Gives the parser the texts in UTF-8: it would decode each of them by the charset of its part alone.
 * @returns the encodings of the texts that are not ASCII alone, once it has parsed
 */
function correctCharsets(parser: PostalMime): ReadonlySet<string> {
  const encodings = new Set<string>();
  const collector = parser as unknown as PartCollector;
  const collect = collector.collectNode.bind(parser);
  collector.collectNode = async (part, ...context) => {
    const { value, params } = part.contentType.parsed;
    const isBody = /^text\/(?:plain|html)$/.test(value) && part.contentDisposition.parsed.value !== 'attachment';
    if (isBody && part.content !== null) {
      const bytes = new Uint8Array(part.content);
      const { text, encoding } = await decodeText(bytes, params.charset ?? null);
      if (!isAscii(bytes)) encodings.add(encoding);
      part.content = new TextEncoder().encode(text).buffer;
      params.charset = 'utf-8';
    }
    return collect(part, ...context);
  };
  return encodings;
}

/**
 * Counts the lines that begin a part, because the parser makes objects of all parts before it answers.
 * @throws ExtractionError
 */
function refuseManyParts(bytes: Uint8Array): void {
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const boundaries = new Set(Array.from(message.matchAll(BOUNDARY), ([, quoted, bare]) => quoted ?? bare));
  let parts = 0;
  for (let at = message.indexOf('\n--'); at !== -1; at = message.indexOf('\n--', at + 1)) {
    const end = message.indexOf('\n', at + 1);
    const delimiter = message.slice(at + 3, end === -1 ? undefined : end).trimEnd();
    if (boundaries.has(delimiter)) parts += 1;
    if (parts > MAX_PARTS) throw tooLarge(`The e-mail has more than ${MAX_PARTS} parts`);
  }
}

function isMessage(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES)).toString('latin1');
  const names = new Set<string>();
  let isMultipart = false;
  for (const line of head.split(/\r?\n/)) {
    if (/^[ \t]/.test(line) && names.size > 0) continue;
    const name = FIELD.exec(line)?.[1]?.toLowerCase();
    if (name === undefined) break;
    names.add(name);
    isMultipart ||= MULTIPART.test(line);
  }
  const known = [...names].filter((name) => KNOWN.has(name));
  return known.length >= 3 && (isMultipart || known.some((name) => CERTAIN.has(name))) && names.has('from');
}
