import { NEIGHBOURS } from '../entries/near.ts';
import { COSINE_BARE, COSINE_WIDE, NEAR, RECORD, type ScanRecords, UNIT_FLAGS } from './records.ts';

const WEIGHT_SHIFT = 16;

/** Reads the records of one scan: a header for each document, followed by its units. */
export class RecordReader {
  readonly #records: ScanRecords;
  /** Of a record, in bytes and in 32-bit words. */
  readonly #bytes: number;
  readonly #stride: number;

  constructor(records: ScanRecords) {
    this.#records = records;
    this.#bytes = records.bytes;
    this.#stride = records.bytes / 4;
  }

  eachDocument(visit: (header: number, units: number, document: number) => void): void {
    const { slots } = this.#records;
    for (let document = 0, header = 0; document < slots.length; document++) {
      const units = this.units(header);
      visit(header, units, document);
      header += units + 1;
    }
  }

  eachCandidate(visit: (header: number, units: number, slot: number) => void): void {
    const { slots, candidates } = this.#records;
    this.eachDocument((header, units, document) => {
      if (candidates[document]) visit(header, units, slots[document] as number);
    });
  }

  mask(record: number): number {
    return this.#records.uint32[record * this.#stride + RECORD.mask / 4] as number | 0;
  }

  length(record: number): number {
    return this.#records.uint32[record * this.#stride + RECORD.length / 4] as number;
  }

  units(header: number): number {
    return this.#records.uint32[header * this.#stride + RECORD.units / 4] as number;
  }

  speakerOf(unit: number): number {
    return this.#records.uint32[unit * this.#stride + RECORD.speaker / 4] as number;
  }

  /** Flags of the text, and which cosines are there: COSINE_BARE, COSINE_WIDE. */
  flags(unit: number): number {
    const flags = this.#rawFlags(unit);
    return (flags & (UNIT_FLAGS | COSINE_BARE | COSINE_WIDE)) | (flags & NEAR ? COSINE_WIDE : 0);
  }

  cosineBare(unit: number): number {
    return this.#records.float32[unit * this.#stride + RECORD.cosineBare / 4] as number;
  }

  /** @param header of its document @param end last unit of its document */
  cosineWide(unit: number, header: number, end: number): number {
    const stored = this.#records.float32[unit * this.#stride + RECORD.cosineWide / 4] as number;
    if ((this.#rawFlags(unit) & NEAR) === 0) return stored;
    const last = Math.min(end, unit + NEIGHBOURS);
    let sum = 0;
    for (let near = Math.max(header + 1, unit - NEIGHBOURS); near <= last; near++) sum += this.#weighted(near);
    return sum * stored;
  }

  cosineCore(unit: number): number {
    return this.#records.float32[unit * this.#stride + RECORD.cosineCore / 4] as number;
  }

  /** Cosines of the bare forms of a unit and of its neighbours, in order. Null: no vector. */
  *cosinesAround(header: number, ordinal: number, distance: number): Generator<number | null> {
    const first = header + 1;
    const last = header + this.units(header);
    const unit = first + ordinal;
    for (let at = Math.max(first, unit - distance); at <= Math.min(last, unit + distance); at++) {
      yield this.flags(at) & COSINE_BARE ? this.cosineBare(at) : null;
    }
  }

  count(record: number, term: number): number {
    return this.#records.uint8[record * this.#bytes + RECORD.counts + term] as number;
  }

  countIfAny(record: number, term: number): number {
    return (this.mask(record) >>> term) & 1 ? this.count(record, term) : 0;
  }

  /** The unit's part in the context of its neighbours. */
  #weighted(unit: number): number {
    const flags = this.#rawFlags(unit);
    return flags & NEAR ? (flags >>> WEIGHT_SHIFT) * this.cosineBare(unit) : 0;
  }

  #rawFlags(unit: number): number {
    return this.#records.uint32[unit * this.#stride + RECORD.flags / 4] as number;
  }
}
