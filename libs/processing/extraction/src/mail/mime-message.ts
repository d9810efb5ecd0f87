import { isAscii, isUtf8 } from 'node:buffer';
import type PostalMime from 'postal-mime';
import type { Email } from 'postal-mime';
import { charsetOf } from '../decoding/declared.ts';
import { decodeText } from '../decoding/decode-text.ts';
import { damagedFileError, ExtractionError, tooLarge } from '../failures.ts';
import { htmlToText } from '../html.ts';
import { bodyOf } from './body.ts';
import { MAX_FORWARDED, MAX_MESSAGES, type Message } from './message.ts';

/** Bytes. */
const MAX_HEADER = 1024 * 1024;
const HEADER_END = /\r?\n\r?\n/;
const CONTENT_TYPE = /^content-type:([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)/im;
/** Parts of a message; programs write less than a hundred. */
const MAX_PARTS = 10_000;
const BOUNDARY = /\bboundary\s*=\s*(?:"([^"\r\n]+)"|([^\s;"]+))/gi;
const FORWARDED: ReadonlySet<string> = new Set(['message/rfc822', 'message/global']);

/** Reads the messages of one file. */
export class MimeReader {
  readonly #encodings = new Set<string>();
  #messages = 0;

  /** The encoding of the texts that are not ASCII alone. Null: there is none, or several. */
  get encoding(): string | null {
    return this.#encodings.size === 1 ? ([...this.#encodings][0] as string) : null;
  }

  /**
   * Reads a message with the ones that it forwards.
   * @param depth of the message inside of others
   * @throws ExtractionError
   */
  async read(bytes: Uint8Array, depth = 0): Promise<Message> {
    this.#messages += 1;
    if (this.#messages > MAX_MESSAGES) throw tooLarge(`The file has more than ${MAX_MESSAGES} e-mails`);
    refuseManyParts(bytes);
    const { default: Parser } = await import('postal-mime');
    const parser = new Parser({ maxNestingDepth: 32, maxHeadersSize: MAX_HEADER, forceRfc822Attachments: true });
    const texts = collectTexts(parser, this.#encodings);
    const email = await parser.parse(await withHeaderInUtf8(bytes)).catch((error: unknown) => {
      throw error instanceof ExtractionError ? error : damagedFileError('an e-mail', error);
    });
    const body: string[] = [];
    for (const { plain, html } of texts) {
      const page = html.length === 0 ? null : async () => (await htmlToText(html.join('\n'))).text;
      body.push(await bodyOf(plain.length === 0 ? null : plain.join('\n'), page));
    }
    const forwarded: Message[] = [];
    const attachments: string[] = [];
    for (const { mimeType, filename, content } of email.attachments) {
      if (FORWARDED.has(mimeType) && depth < MAX_FORWARDED && typeof content !== 'string')
        forwarded.push(await this.read(new Uint8Array(content), depth + 1));
      else if (filename) attachments.push(filename);
    }
    return {
      ...headerOf(email),
      ...{ attachments, body: body.filter((text) => text.trim() !== '').join('\n\n'), forwarded },
    };
  }
}

function headerOf({ subject, from, to, cc, date }: Email): Pick<Message, 'subject' | 'from' | 'to' | 'cc' | 'date'> {
  const names = (list: Email['to']) => list?.map(({ name, address }) => name || address).join(', ') ?? '';
  return {
    ...{ subject: subject ?? null, from: from?.name || from?.address || '', date: date ?? null },
    ...{ to: names(to), cc: names(cc) },
  };
}

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

/** Methods of the parser that its types leave out. */
interface PartCollector {
  /** Is called for each part, before its text is decoded. */
  collectNode(part: Part, ...context: unknown[]): Promise<void>;
  /** Is called for each text. @param of what the text is one form: its part, or the part with all forms */
  addTextEntry(of: Part, form: 'plain' | 'html', text: { readonly value: string }): void;
}

interface Texts {
  readonly plain: string[];
  readonly html: string[];
}

/**
 * Gives the parser the texts in UTF-8, which it would decode by the charset of their part alone, and takes the forms of each text,
 * which it would join.
 * @param encodings receives those of the texts that are not ASCII alone
 * @returns the texts in their order, once it has parsed
 */
function collectTexts(parser: PostalMime, encodings: Set<string>): Iterable<Texts> {
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
  const texts = new Map<Part, Texts>();
  collector.addTextEntry = (of, form, { value }) => {
    const forms = texts.get(of) ?? { plain: [], html: [] };
    texts.set(of, forms);
    forms[form].push(value);
  };
  return { [Symbol.iterator]: () => texts.values() };
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
