import { damagedFileError, ExtractionError, encryptedFileError, unsupportedKind } from '../failures.ts';
import { namesStream } from '../office/containers.ts';
import { OFFICE_LIMITS } from '../office/ooxml.ts';
import type { FileExtractor } from './extractor.ts';

const KIND = 'a Word document';
const SECTOR = 512;
/** What a document begins with, the place of its flags, and the one for a password. */
const DOCUMENT = 0xa5ec;
const FLAGS_AT = 0x0a;
const ENCRYPTED_FLAG = 0x0100;
/** What the library says of a document of Word 2 to 95, which begins with other bytes. */
const OLDER = /magic number: a5d[bc]$/;

/** A document of Word 97 to 2003. */
export const doc: FileExtractor = {
  kind: 'doc',
  reads: 'bytes',
  limits: OFFICE_LIMITS,
  extensions: ['doc', 'dot'],
  mediaTypes: ['application/msword'],
  fileTypes: [],
  detects: (bytes) => namesStream(bytes, 'WordDocument'),
  async toText(bytes) {
    const file = Buffer.from(bytes);
    if (hasPassword(file)) throw encryptedFileError();
    const { default: WordExtractor } = await import('word-extractor');
    try {
      const document = await new WordExtractor().extract(file);
      const notes = [document.getFootnotes(), document.getEndnotes()].filter((one) => one.trim() !== '');
      // A line of the library is a paragraph.
      return { text: [document.getBody(), ...notes].join('\n').replace(/\n+/g, '\n\n'), title: null };
    } catch (error) {
      if (OLDER.test((error as Error).message)) {
        throw new ExtractionError(unsupportedKind('Word 95 or older'), 'unsupported_type', error);
      }
      throw damagedFileError(KIND, error);
    }
  },
};

function hasPassword(file: Buffer): boolean {
  for (let at = SECTOR; at + SECTOR <= file.length; at += SECTOR) {
    if (file.readUInt16LE(at) === DOCUMENT) return (file.readUInt16LE(at + FLAGS_AT) & ENCRYPTED_FLAG) !== 0;
  }
  return false;
}
