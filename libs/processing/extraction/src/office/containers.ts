import { encryptedFileError } from '../failures.ts';

/** Bytes of an older office file (CFB). */
const CFB = Buffer.from('d0cf11e0a1b11ae1', 'hex');

const looksLikeCfb = (bytes: Uint8Array): boolean =>
  bytes.length >= CFB.length && CFB.equals(bytes.subarray(0, CFB.length));

/** Whether a CFB container names a stream. Names are in UTF-16; programs write them in capitals, too, which mean the same. */
export function namesStream(bytes: Uint8Array, name: string): boolean {
  if (!looksLikeCfb(bytes)) return false;
  const container = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return [name, name.toUpperCase()].some((one) => container.includes(`${one}\0`, 0, 'utf16le'));
}

/** An OOXML file with a password is a CFB container with its bytes in this stream. */
const ENCRYPTED_STREAM = 'EncryptedPackage';

export const isEncryptedOffice = (bytes: Uint8Array): boolean => namesStream(bytes, ENCRYPTED_STREAM);

/** @throws ExtractionError for a file with a password */
export function refuseEncrypted(bytes: Uint8Array): void {
  if (isEncryptedOffice(bytes)) throw encryptedFileError();
}
