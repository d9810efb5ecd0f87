import { damagedFileError, encryptedFileError } from '../failures.ts';
import { Zip } from '../zip.ts';

interface OpenDocument {
  readonly zip: Zip;
  /** XML of the content. */
  readonly content: Uint8Array;
}

/**
 * Opens a file of LibreOffice and others.
 * @param kind words for the format in messages
 * @throws ExtractionError
 */
export function openDocument(bytes: Uint8Array, kind: string): OpenDocument {
  const zip = new Zip(bytes, kind);
  const manifest = zip.read('META-INF/manifest.xml');
  if (manifest !== null && Buffer.from(manifest).includes('encryption-data')) throw encryptedFileError();
  const content = zip.read('content.xml');
  if (content === null) throw damagedFileError(kind);
  return { zip, content };
}
