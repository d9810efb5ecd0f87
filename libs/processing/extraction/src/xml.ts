import { isUtf8 } from 'node:buffer';
import type { Parser } from 'htmlparser2';
import { decodeText } from './decoding/decode-text.ts';
import { tooLarge } from './failures.ts';

/** Elements inside each other; programs write less than 100. */
const MAX_DEPTH = 1_000;
/** Bytes that are decoded at once. */
const PIECE = 1024 * 1024;

export type Attributes = Readonly<Record<string, string>>;

/** What a reader of XML does at each part. Names are without their namespace prefix; a tag is a name with it. */
export interface XmlReader {
  open?(name: string, attributes: Attributes, tag: string): void;
  close?(name: string): void;
  text?(text: string): void;
}

/**
 * Reads XML part by part. Document types, and with them entities of their own, are ignored, and nothing outside of the
 * document is read.
 * @throws ExtractionError if elements are nested too deeply
 */
export async function readXml(bytes: Uint8Array, reader: XmlReader): Promise<void> {
  const { Parser } = await import('htmlparser2');
  let depth = 0;
  const parser: Parser = new Parser(
    {
      onopentag: (name, attributes) => {
        depth += 1;
        if (depth > MAX_DEPTH) throw tooLarge(`The file has more than ${MAX_DEPTH} elements inside each other`);
        reader.open?.(localName(name), attributes, name);
      },
      onclosetag: (name) => {
        depth -= 1;
        reader.close?.(localName(name));
      },
      ontext: (text) => reader.text?.(text),
    },
    { xmlMode: true, decodeEntities: true },
  );
  const xml = isUtf8(bytes) ? bytes : Buffer.from((await decodeText(bytes)).text);
  const decoder = new TextDecoder();
  for (let start = 0; start < xml.length; start += PIECE) {
    parser.write(decoder.decode(xml.subarray(start, start + PIECE), { stream: true }));
  }
  parser.end(decoder.decode());
}

/** The value of an attribute, by its name without a prefix. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  if (Object.hasOwn(attributes, name)) return attributes[name];
  const key = Object.keys(attributes).find((one) => localName(one) === name);
  return key === undefined ? undefined : attributes[key];
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
