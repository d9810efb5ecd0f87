import { damagedFileError, tooLarge } from '../../failures.ts';

const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
const DIFAT_IN_HEADER = 109;
const MINI_SECTOR = 64;
/** Streams shorter than this are kept in small sectors. */
const MINI_STREAM = 4_096;
/** Numbers of sectors and entries from here on are marks, such as the end of a chain. */
const FIRST_MARK = 0xfffffffa;
const NO_ENTRY = 0xffffffff;
/** Bytes of all streams that are read of a file. */
const MAX_READ = 256 * 1024 * 1024;

const STORAGE = 1;
const STREAM = 2;

interface Entry {
  readonly name: string;
  readonly type: number;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly start: number;
  readonly size: number;
}

/** A folder of a compound file. */
export interface Storage {
  readonly streams: ReadonlyMap<string, Stream>;
  readonly storages: ReadonlyMap<string, () => Storage>;
}

export interface Stream {
  readonly size: number;
  /** @throws ExtractionError */
  read(): Uint8Array;
}

/**
 * Reads compound files (MS-CFB), the containers of older office programs. Chains and trees that lead back to where they were are
 * damage, so no file takes more time than its size.
 */
export class CompoundFile {
  readonly #file: Buffer;
  readonly #kind: string;
  readonly #sectorBytes: number;
  readonly #fat: readonly number[];
  readonly #miniFat: readonly number[];
  readonly #entries: readonly Entry[];
  readonly #miniStream: Buffer;
  readonly #used = new Set<number>();
  #read = 0;

  /** @param kind words for the format, such as `a Word document`. @throws ExtractionError */
  constructor(bytes: Uint8Array, kind: string) {
    this.#file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#kind = kind;
    if (bytes.length < HEADER_BYTES) throw damagedFileError(kind);
    const shift = this.#file.readUInt16LE(30);
    if (shift !== 9 && shift !== 12) throw damagedFileError(kind);
    this.#sectorBytes = 1 << shift;
    this.#fat = this.#numbersIn(this.#fatSectors());
    this.#miniFat = this.#numbersIn(this.#chain(this.#file.readUInt32LE(60), this.#fat));
    const directory = this.#chain(this.#file.readUInt32LE(48), this.#fat).map((sector) => this.#sector(sector));
    this.#entries = entriesIn(Buffer.concat(directory));
    const [root] = this.#entries;
    if (root === undefined) throw damagedFileError(kind);
    this.#miniStream = Buffer.concat(this.#chain(root.start, this.#fat).map((sector) => this.#sector(sector)));
  }

  /** @throws ExtractionError */
  get root(): Storage {
    return this.#storage(0);
  }

  #storage(entry: number): Storage {
    const streams = new Map<string, Stream>();
    const storages = new Map<string, () => Storage>();
    const open = [this.#entries[entry]?.child ?? NO_ENTRY];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (index >= FIRST_MARK) continue;
      const found = this.#entries[index];
      if (found === undefined || this.#used.has(index)) throw damagedFileError(this.#kind);
      this.#used.add(index);
      const { name, type, size } = found;
      if (type === STREAM) streams.set(name, { size, read: () => this.#stream(found) });
      else if (type === STORAGE)
        storages.set(
          name,
          once(() => this.#storage(index as number)),
        );
      open.push(found.left, found.right);
    }
    return { streams, storages };
  }

  #stream({ start, size }: Entry): Uint8Array {
    this.#read += size;
    if (this.#read > MAX_READ) throw tooLarge(`The file holds more than ${MAX_READ} bytes`);
    if (size === 0) return new Uint8Array();
    const sectors =
      size < MINI_STREAM
        ? this.#chain(start, this.#miniFat).map((at) =>
            this.#miniStream.subarray(at * MINI_SECTOR, (at + 1) * MINI_SECTOR),
          )
        : this.#chain(start, this.#fat).map((at) => this.#sector(at));
    const bytes = Buffer.concat(sectors);
    if (bytes.length < size) throw damagedFileError(this.#kind);
    return bytes.subarray(0, size);
  }

  /** The sectors that hold the table of the sectors that follow others. */
  #fatSectors(): readonly number[] {
    const sectors: number[] = [];
    for (let i = 0; i < DIFAT_IN_HEADER; i++) sectors.push(this.#file.readUInt32LE(76 + i * 4));
    const seen = new Set<number>();
    for (let at = this.#file.readUInt32LE(68); at < FIRST_MARK; ) {
      if (seen.has(at)) throw damagedFileError(this.#kind);
      seen.add(at);
      const numbers = this.#numbersIn([at]);
      sectors.push(...numbers.slice(0, -1));
      at = numbers.at(-1) ?? NO_ENTRY;
    }
    return sectors.filter((sector) => sector < FIRST_MARK);
  }

  #chain(start: number, next: readonly number[]): readonly number[] {
    const sectors: number[] = [];
    for (let sector = start; sector < FIRST_MARK; sector = next[sector] ?? NO_ENTRY) {
      // A longer chain would come to a sector again.
      if (sectors.length > next.length) throw damagedFileError(this.#kind);
      sectors.push(sector);
    }
    return sectors;
  }

  #sector(sector: number): Buffer {
    const start = (sector + 1) * this.#sectorBytes;
    if (start >= this.#file.length) throw damagedFileError(this.#kind);
    return this.#file.subarray(start, start + this.#sectorBytes);
  }

  #numbersIn(sectors: readonly number[]): readonly number[] {
    const numbers: number[] = [];
    for (const sector of sectors) {
      const bytes = this.#sector(sector);
      for (let at = 0; at + 4 <= bytes.length; at += 4) numbers.push(bytes.readUInt32LE(at));
    }
    return numbers;
  }
}

function entriesIn(directory: Buffer): readonly Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + ENTRY_BYTES <= directory.length; at += ENTRY_BYTES) {
    const length = Math.min(directory.readUInt16LE(at + 64), 64);
    entries.push({
      name: directory.toString('utf16le', at, at + Math.max(length - 2, 0)),
      type: directory.readUInt8(at + 66),
      left: directory.readUInt32LE(at + 68),
      right: directory.readUInt32LE(at + 72),
      child: directory.readUInt32LE(at + 76),
      start: directory.readUInt32LE(at + 116),
      size: directory.readUInt32LE(at + 120),
    });
  }
  return entries;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
