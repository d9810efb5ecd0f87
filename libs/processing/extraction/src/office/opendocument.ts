import { damagedFileError, encryptedFileError } from '../failures.ts';
import { describedBy, namesFile, Zip } from '../zip.ts';

/** Bytes of the beginning in which a container names its media type, if that is its first file and is not packed. */
const HEAD_BYTES = 200;

/** Whether a file of LibreOffice and others has this media type. */
export const isOpenDocument = (bytes: Uint8Array, mediaType: string): boolean =>
  namesFile(bytes.subarray(0, HEAD_BYTES), mediaType) || describedBy(bytes, 'mimetype')?.trim() === mediaType;

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
