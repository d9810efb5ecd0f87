import { inflateRawSync } from 'node:zlib';
import { damagedFileError, encryptedFileError, tooLarge } from './failures.ts';

const MIB = 1024 * 1024;
/** Bytes of one unpacked file, and of all that are read. */
const MAX_FILE = 256 * MIB;
const MAX_ALL = 512 * MIB;
/** Files of a container; office files have a few hundred. */
const MAX_FILES = 50_000;

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
/** Longest comment behind the list of files, and so the furthest place of its end from the end of the container. */
const MAX_COMMENT = 65_535;

interface Entry {
  readonly offset: number;
  readonly packed: number;
  readonly unpacked: number;
  readonly isEncrypted: boolean;
  readonly method: number;
}

/**
 * The files of a zip container, unpacked one by one when they are read. Sizes are limited both as the container declares them
 * and as they are.
 */
export class Zip {
  readonly #bytes: Buffer;
  readonly #kind: string;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #bySmallName: ReadonlyMap<string, Entry>;
  #read = 0;

  /**
   * @param kind words for the format in messages
   * @throws ExtractionError
   */
  constructor(bytes: Uint8Array, kind: string) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#kind = kind;
    try {
      this.#entries = entriesOf(this.#bytes);
    } catch (error) {
      throw damagedFileError(kind, error);
    }
    this.#bySmallName = new Map([...this.#entries].map(([name, entry]) => [name.toLowerCase(), entry]));
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  has(name: string): boolean {
    return this.#entryOf(name) !== undefined;
  }

  /** Names are equal in capitals and small letters; some programs write one where they name the other. */
  #entryOf(name: string): Entry | undefined {
    return this.#entries.get(name) ?? this.#bySmallName.get(name.toLowerCase());
  }

  /** Null: there is no such file. @param most bytes of it, unpacked @throws ExtractionError */
  read(name: string, most = MAX_FILE): Uint8Array | null {
    const entry = this.#entryOf(name);
    if (entry === undefined) return null;
    if (entry.isEncrypted) throw encryptedFileError();
    const left = Math.min(most, MAX_ALL - this.#read);
    if (entry.unpacked > left) throw this.#tooLarge();
    const unpacked = this.#unpack(entry, left);
    this.#read += unpacked.length;
    return unpacked;
  }

  #unpack({ offset, packed, method }: Entry, most: number): Uint8Array {
    const bytes = this.#bytes;
    try {
      const start = offset + LOCAL_BYTES + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
      const data = bytes.subarray(start, start + packed);
      if (method === 0) return data;
      if (method === 8) return inflateRawSync(data, { maxOutputLength: Math.max(1, most) });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw this.#tooLarge();
      throw damagedFileError(this.#kind, error);
    }
    throw damagedFileError(this.#kind);
  }

  #tooLarge() {
    return tooLarge(`The file unpacks to more than ${MAX_FILE / MIB} MiB`);
  }
}

/** @throws RangeError outside of the bytes; Error */
function entriesOf(bytes: Buffer): ReadonlyMap<string, Entry> {
  const end = endOf(bytes);
  const count = bytes.readUInt16LE(end + 10);
  if (count > MAX_FILES) throw new Error('too many files');
  const entries = new Map<string, Entry>();
  let at = bytes.readUInt32LE(end + 16);
  for (let i = 0; i < count; i++) {
    if (bytes.readUInt32LE(at) !== ENTRY_SIGNATURE) throw new Error('no entry');
    const nameLength = bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameLength);
    entries.set(name.replaceAll('\\', '/'), {
      isEncrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
      method: bytes.readUInt16LE(at + 10),
      packed: bytes.readUInt32LE(at + 20),
      unpacked: bytes.readUInt32LE(at + 24),
      offset: bytes.readUInt32LE(at + 42),
    });
    at += ENTRY_BYTES + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

/** Returns the names in the list of a zip container. Empty: it has none, or it is not whole. */
export function namesIn(bytes: Uint8Array): readonly string[] {
  try {
    return new Zip(bytes, 'an archive').names;
  } catch {
    return [];
  }
}

function endOf(bytes: Buffer): number {
  const least = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT);
  for (let at = bytes.length - END_BYTES; at >= least; at--) {
    if (bytes.readUInt32LE(at) === END_SIGNATURE) return at;
  }
  throw new Error('no list of files');
}

/** Bytes of a file that says what a container is. */
const MAX_DESCRIPTION = MIB;

/** Returns a short file of a zip container as text. Null: there is none, or these are not all bytes of the container. */
export function describedBy(bytes: Uint8Array, name: string): string | null {
  if (!looksLikeZip(bytes)) return null;
  try {
    const file = new Zip(bytes, 'a container').read(name, MAX_DESCRIPTION);
    return file && Buffer.from(file).toString('utf8');
  } catch {
    return null;
  }
}

/** Whether the bytes begin as a zip container does. */
const looksLikeZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;

/** Whether a zip container names a file, with slashes or backslashes; in its beginning or in the list at its end. */
export function namesFile(bytes: Uint8Array, name: string): boolean {
  if (!looksLikeZip(bytes)) return false;
  const container = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return [name, name.replaceAll('/', '\\')].some((one) => container.includes(one, 0, 'latin1'));
}
