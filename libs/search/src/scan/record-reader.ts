import { COSINE_BARE, RECORD, type ScanRecords } from './records.ts';

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

  flags(unit: number): number {
    return this.#records.uint32[unit * this.#stride + RECORD.flags / 4] as number;
  }

  cosineBare(unit: number): number {
    return this.#records.float32[unit * this.#stride + RECORD.cosineBare / 4] as number;
  }

  cosineWide(unit: number): number {
    return this.#records.float32[unit * this.#stride + RECORD.cosineWide / 4] as number;
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
}
