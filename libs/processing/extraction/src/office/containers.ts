import { encryptedFileError } from '../failures.ts';

/** Bytes of an older office file (CFB). */
const CFB = Buffer.from('d0cf11e0a1b11ae1', 'hex');

const looksLikeCfb = (bytes: Uint8Array): boolean =>
  bytes.length >= CFB.length && CFB.equals(bytes.subarray(0, CFB.length));

/** Whether a CFB container names a stream; names are in UTF-16. */
export function namesStream(bytes: Uint8Array, name: string): boolean {
  if (!looksLikeCfb(bytes)) return false;
  const needle = Buffer.from(`${name}\0`, 'utf16le');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(needle);
}

/** An OOXML file with a password is a CFB container with its bytes in this stream. */
const ENCRYPTED_STREAM = 'EncryptedPackage';

export const isEncryptedOffice = (bytes: Uint8Array): boolean => namesStream(bytes, ENCRYPTED_STREAM);

/** @throws ExtractionError for a file with a password */
export function refuseEncrypted(bytes: Uint8Array): void {
  if (isEncryptedOffice(bytes)) throw encryptedFileError();
}
