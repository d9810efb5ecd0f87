import { decodeText } from '../../decoding/decode-text.ts';
import type { Storage } from './compound-file.ts';

const TABLE = '__properties_version1.0';
const ROW_BYTES = 16;
const UNICODE = '001F';
const BYTES_OF_TEXT = '001E';
const BINARY = '0102';
const NUMBER = 0x0003;
const TIME = 0x0040;
/** Milliseconds from 1601, where times begin, to 1970. */
const EPOCH = 11_644_473_600_000n;

/** The properties of a message, a recipient or an attachment (MS-OXMSG), by their numbers. */
export class Properties {
  readonly #storage: Storage;
  readonly #codePage: number | null;
  /** Of fixed length: by type and number. */
  readonly #fixed = new Map<string, Buffer>();

  /**
   * @param of what the properties are
   * @param codePage of texts, unless the properties name one
   */
  constructor(storage: Storage, of: 'file' | 'forwarded' | 'part', codePage: number | null = null) {
    this.#storage = storage;
    const table = Buffer.from(storage.streams.get(TABLE)?.read() ?? []);
    for (let at = headerBytes(of, table.length); at + ROW_BYTES <= table.length; at += ROW_BYTES) {
      this.#fixed.set(
        `${table.readUInt16LE(at)}:${table.readUInt16LE(at + 2)}`,
        table.subarray(at + 8, at + ROW_BYTES),
      );
    }
    this.#codePage = this.number(0x3ffd) ?? codePage;
  }

  get codePage(): number | null {
    return this.#codePage;
  }

  number(id: number): number | null {
    return this.#fixed.get(`${NUMBER}:${id}`)?.readInt32LE() ?? null;
  }

  /** ISO 8601. */
  time(id: number): string | null {
    const ticks = this.#fixed.get(`${TIME}:${id}`)?.readBigUInt64LE();
    const date = new Date(ticks === undefined ? Number.NaN : Number(ticks / 10_000n - EPOCH));
    return Number.isNaN(date.getTime()) ? null : date.toISOString();
  }

  /** The first of these texts with words in it. @throws ExtractionError if its encoding is not known */
  async text(...ids: readonly number[]): Promise<string | null> {
    for (const id of ids) {
      const text = (await this.#textOf(id))?.replace(/\0+$/, '');
      if (text?.trim()) return text;
    }
    return null;
  }

  binary(id: number): Uint8Array | null {
    return this.#stream(id, BINARY);
  }

  async #textOf(id: number): Promise<string | null> {
    const unicode = this.#stream(id, UNICODE);
    if (unicode !== null) return Buffer.from(unicode).toString('utf16le');
    const bytes = this.#stream(id, BYTES_OF_TEXT);
    return bytes === null ? null : (await decodeText(bytes, codePageLabel(this.#codePage))).text;
  }

  #stream(id: number, type: string): Uint8Array | null {
    const name = `__substg1.0_${id.toString(16).toUpperCase().padStart(4, '0')}${type}`;
    return this.#storage.streams.get(name)?.read() ?? null;
  }
}

/** Bytes before the rows. Some programs write the header of a file for a forwarded message, too. */
function headerBytes(of: 'file' | 'forwarded' | 'part', bytes: number): number {
  if (of === 'part') return 8;
  return of === 'file' || bytes % ROW_BYTES === 0 ? 32 : 24;
}

/** Name of a code page as a charset. */
export const codePageLabel = (codePage: number | null): string | null =>
  codePage === null ? null : codePage === 65_001 ? 'utf-8' : `cp${codePage}`;
