import { namesStream } from '../../office/containers.ts';

const HEADER_BYTES = 512;
const CLASS_AT = 80;
const CLASS_BYTES = 16;
/** Class of the root of a message, as it is stored; and of one that names none. */
const MESSAGE = '0b0d020000000000c000000000000046';
const NONE = '0'.repeat(MESSAGE.length);

/** Returns whether a file is an e-mail of Outlook, and not a container whose files hold one. */
export function isOutlookMessage(bytes: Uint8Array): boolean {
  if (bytes.length < HEADER_BYTES || !namesStream(bytes, '__properties_version1.0')) return false;
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = (file.readUInt32LE(48) + 1) * 2 ** Math.min(file.readUInt16LE(30), 12) + CLASS_AT;
  const rootClass = file.toString('hex', at, at + CLASS_BYTES);
  return rootClass === MESSAGE || rootClass === NONE;
}
