import { HAS_BARE, HAS_NEAR, HAS_WIDE } from '../entries/layout.ts';
import { blankRecords } from './blank-records.ts';
import { joinTerms } from './join-terms.ts';
import type { PreparedQuery } from './query.ts';
import { type RankedUnit, Ranking, type RankOptions } from './rank.ts';
import { RECORD, recordBytes } from './records.ts';

/**
 * The scan records of one shard of an engine that scans its entries itself: for each document a record of its header, then
 * one of each unit. A record is
 *
 *   mask, length, number of units | speaker, flags | vectors << 8 | weight << 16, [bits of float32 numbers,] [count of each term]
 *
 * with the highest cosine of the unit's vectors if `vectors` has HAS_BARE, after it the one with the question's core if it
 * is asked for, the wide cosine with HAS_WIDE, or what the kernel writes in its place with HAS_NEAR, and the counts of the
 * terms whose bits are set in the mask,
 * lowest first. Numbers may be signed or unsigned.
 */
export interface ShardStatistics {
  readonly numbers: readonly number[];
  readonly documents: number;
  /** False: the documents count in the statistics, but their units are not results. */
  readonly candidates: boolean;
}

/** Numbers of a record without cosines and terms. */
const MIN_RECORD_NUMBERS = 4;
const VECTORS_SHIFT = 8;
const VECTORS_MASK = 0xff;

/** Ranks like `Scanner`. Slots number the documents of all shards in order. */
export function rankShards(
  query: PreparedQuery,
  shards: readonly ShardStatistics[],
  options: RankOptions,
): RankedUnit[] {
  const terms = query.hashes.length;
  const bytes = recordBytes(terms);
  const maxRecords = shards.reduce((sum, { numbers }) => sum + Math.ceil(numbers.length / MIN_RECORD_NUMBERS), 0);
  const uint8 = new Uint8Array(maxRecords * bytes);
  const uint32 = new Uint32Array(uint8.buffer);
  const slots: number[] = [];
  const candidates: boolean[] = [];
  let record = 0;
  for (const shard of shards) {
    const reader = new NumbersReader(shard.numbers, terms, query.core !== null);
    for (let document = 0; document < shard.documents; document++) {
      slots.push(slots.length);
      candidates.push(shard.candidates);
      reader.read(uint32, uint8, record * bytes);
      const units = uint32[(record * bytes + RECORD.units) / 4] as number;
      for (let unit = 1; unit <= units; unit++) reader.read(uint32, uint8, (record + unit) * bytes);
      record += units + 1;
    }
  }
  const records = { uint32, float32: new Float32Array(uint8.buffer), uint8, bytes, length: record, slots, candidates };
  joinTerms(records, query);
  if (options.leftOut) blankRecords(records, options.leftOut);
  return new Ranking(query, records, options.weights).best(options.limit);
}

class NumbersReader {
  readonly #numbers: readonly number[];
  readonly #terms: number;
  readonly #withCore: boolean;
  #at = 0;

  constructor(numbers: readonly number[], terms: number, withCore: boolean) {
    this.#numbers = numbers;
    this.#terms = terms;
    this.#withCore = withCore;
  }

  /** Copies the next record. @param at byte offset of the record */
  read(uint32: Uint32Array, uint8: Uint8Array, at: number): void {
    const mask = this.#next();
    uint32[(at + RECORD.mask) / 4] = mask;
    uint32[(at + RECORD.length) / 4] = this.#next();
    uint32[(at + RECORD.speaker) / 4] = this.#next();
    const flags = this.#next();
    uint32[(at + RECORD.flags) / 4] = flags;
    const vectors = (flags >>> VECTORS_SHIFT) & VECTORS_MASK;
    if (vectors & HAS_BARE) {
      uint32[(at + RECORD.cosineBare) / 4] = this.#next();
      if (this.#withCore) uint32[(at + RECORD.cosineCore) / 4] = this.#next();
    }
    if (vectors & (HAS_WIDE | HAS_NEAR)) uint32[(at + RECORD.cosineWide) / 4] = this.#next();
    for (let term = 0; term < this.#terms; term++) {
      if ((mask >>> term) & 1) uint8[at + RECORD.counts + term] = this.#next();
    }
  }

  /** @throws RangeError if the numbers end before the last record */
  #next(): number {
    const number = this.#numbers[this.#at++];
    if (number === undefined) throw new RangeError('The shard statistics end inside a record');
    return number;
  }
}
