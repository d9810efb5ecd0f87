import { HAS_BARE, HAS_WIDE } from '../entries/layout.ts';
import type { PreparedQuery } from './query.ts';
import { type RankedUnit, Ranking, type RankOptions } from './rank.ts';
import { RECORD, recordBytes } from './records.ts';

/**
 * What an engine found that scans entries where they lie, number after number: of each document a record of its header and
 * then one of each unit. A record is
 *
 *   mask, length, units that follow | speaker, flags | vectors << 8, [bits of each float32 cosine,] [count of each term]
 *
 * with the cosines that `vectors` (HAS_BARE | HAS_WIDE) says, and the counts of those terms whose bits are set in the
 * mask, lowest first. Any number may be signed or not.
 */
export interface ToldScan {
  readonly numbers: readonly number[];
  readonly documents: number;
  /** False: the words count in the statistics, but the units are no results. */
  readonly candidates: boolean;
}

/** Of a record without cosines and terms. */
const FEWEST_NUMBERS = 4;
const VECTORS_SHIFT = 8;

/** Ranks what was told as `Scanner` ranks what it scans itself. Slots run through the documents of all scans in order. */
export function rankTold(query: PreparedQuery, scans: readonly ToldScan[], options: RankOptions): RankedUnit[] {
  const terms = query.terms.length;
  const bytes = recordBytes(terms);
  const most = scans.reduce((sum, { numbers }) => sum + Math.ceil(numbers.length / FEWEST_NUMBERS), 0);
  const uint8 = new Uint8Array(most * bytes);
  const uint32 = new Uint32Array(uint8.buffer);
  const slots: number[] = [];
  const candidates: boolean[] = [];
  let record = 0;
  for (const scan of scans) {
    const reader = new RecordReader(scan.numbers, terms);
    for (let document = 0; document < scan.documents; document++) {
      slots.push(slots.length);
      candidates.push(scan.candidates);
      reader.read(uint32, uint8, record * bytes);
      const units = uint32[(record * bytes + RECORD.units) / 4] as number;
      for (let unit = 1; unit <= units; unit++) reader.read(uint32, uint8, (record + unit) * bytes);
      record += units + 1;
    }
  }
  const records = { uint32, float32: new Float32Array(uint8.buffer), uint8, bytes, length: record, slots, candidates };
  return new Ranking(query, records, options.weights).best(options);
}

class RecordReader {
  readonly #numbers: readonly number[];
  readonly #terms: number;
  #at = 0;

  constructor(numbers: readonly number[], terms: number) {
    this.#numbers = numbers;
    this.#terms = terms;
  }

  /** @param at where the record starts, in bytes */
  read(uint32: Uint32Array, uint8: Uint8Array, at: number): void {
    const mask = this.#next();
    uint32[(at + RECORD.mask) / 4] = mask;
    uint32[(at + RECORD.length) / 4] = this.#next();
    uint32[(at + RECORD.speaker) / 4] = this.#next();
    const flags = this.#next();
    uint32[(at + RECORD.flags) / 4] = flags;
    const vectors = flags >>> VECTORS_SHIFT;
    if (vectors & HAS_BARE) uint32[(at + RECORD.cosineBare) / 4] = this.#next();
    if (vectors & HAS_WIDE) uint32[(at + RECORD.cosineWide) / 4] = this.#next();
    for (let term = 0; term < this.#terms; term++) {
      if ((mask >>> term) & 1) uint8[at + RECORD.counts + term] = this.#next();
    }
  }

  /** @throws RangeError where there are fewer numbers than were announced */
  #next(): number {
    const number = this.#numbers[this.#at++];
    if (number === undefined) throw new RangeError('A scan ends in the middle of a record');
    return number;
  }
}
