import type { RankerInputs } from '../ranking/inputs.ts';
import { lowestBit } from './bits.ts';
import { Bm25 } from './bm25.ts';
import { type Evidence, shareOf } from './evidence.ts';
import { Fusion } from './fusion.ts';
import type { PreparedQuery } from './query.ts';
import { rankerInputs } from './ranker-inputs.ts';
import { RecordReader } from './record-reader.ts';
import { COSINE_BARE, COSINE_WIDE, LEFT_OUT, type ScanRecords } from './records.ts';
import { type RankKey, Top } from './top.ts';
import type { FusionWeights } from './weights.ts';

export interface RankedUnit extends RankKey {
  /** The caller's number of the document. */
  readonly slot: number;
  /** Position of the unit in its entry. */
  readonly ordinal: number;
  /** Fused score; comparable only within one result. */
  readonly score: number;
  readonly evidence: Evidence;
  /** Null: the query has no core, or the unit no vector. */
  readonly inputs: RankerInputs | null;
}

export interface RankOptions {
  /** Number of units. */
  readonly limit: number;
  readonly weights?: FusionWeights;
  /** Ordinals of units of a document that are left out, as if they had no words and no vectors. */
  readonly leftOut?: (slot: number) => readonly number[] | undefined;
}

/** A unit in the list with the record of its header, from which its evidence is computed. */
interface Hit extends RankKey {
  readonly header: number;
}

/**
 * Ranks the units of one scan.
 *
 * Statistics (N, df, average length) cover everything scanned, for each of three forms: the bare unit, the wide unit
 * (header + previous + unit + next), and the whole document (header + all units). Normalization and results cover
 * candidates only.
 *
 * A unit that is not embedded yet, among units with vectors, uses its lexical score (0…1) for each missing cosine: with the
 * words of the query it ranks among the best, without them near the end. Units without any evidence (no term in the wide
 * form, no cosine) are never returned.
 */
export class Ranking {
  readonly #query: PreparedQuery;
  readonly #reader: RecordReader;
  readonly #fusion: Fusion;

  readonly #bare: Bm25;
  readonly #wide: Bm25;
  readonly #document: Bm25;

  /** Indexed by record number, like the four below; the score of a document is at its header. */
  readonly #wideMasks: Int32Array;
  readonly #wideLengths: Int32Array;
  readonly #bareScores: Float64Array;
  readonly #wideScores: Float64Array;
  readonly #documentScores: Float64Array;

  constructor(query: PreparedQuery, records: ScanRecords, weights?: FusionWeights) {
    this.#query = query;
    this.#fusion = new Fusion(query.asksWhen, weights);
    this.#reader = new RecordReader(records);
    this.#bare = new Bm25(query.terms);
    this.#wide = new Bm25(query.terms);
    this.#document = new Bm25(query.terms);
    this.#wideMasks = new Int32Array(records.length);
    this.#wideLengths = new Int32Array(records.length);
    this.#bareScores = new Float64Array(records.length);
    this.#wideScores = new Float64Array(records.length);
    this.#documentScores = new Float64Array(records.length);
    this.#gatherStatistics();
    this.#scoreCandidates();
  }

  best(limit: number): RankedUnit[] {
    return this.#bestUnits(limit).map((unit) => ({
      slot: unit.slot,
      ordinal: unit.ordinal,
      score: unit.score,
      evidence: this.#evidence(unit),
      inputs: this.#inputs(unit),
    }));
  }

  /** Also stores the mask and length of each wide form for the later steps. */
  #gatherStatistics(): void {
    const named = new Set<number>();
    const { words } = this.#query;
    const masks = this.#wideMasks;
    const lengths = this.#wideLengths;
    let lastSpeaker = 0;
    this.#reader.eachDocument((header, units) => {
      const headerMask = this.#reader.mask(header);
      const headerLength = this.#reader.length(header);
      const end = header + units;
      let documentMask = headerMask;
      let documentLength = headerLength;
      let previousMask = 0;
      let previousLength = 0;
      for (let unit = header + 1; unit <= end; unit++) {
        const mask = this.#reader.mask(unit);
        const length = this.#reader.length(unit);
        this.#bare.count(mask, length);
        documentMask |= mask;
        documentLength += length;
        masks[unit] = headerMask | previousMask | mask;
        lengths[unit] = headerLength + previousLength + length;
        if (unit > header + 1) {
          masks[unit - 1] = (masks[unit - 1] as number) | mask;
          lengths[unit - 1] = (lengths[unit - 1] as number) + length;
          this.#wide.count(masks[unit - 1] as number, lengths[unit - 1] as number);
        }
        previousMask = mask;
        previousLength = length;
        const speaker = this.#reader.speakerOf(unit);
        if (speaker !== lastSpeaker && words.has(speaker)) named.add(speaker);
        lastSpeaker = speaker;
      }
      if (units > 0) this.#wide.count(masks[end] as number, lengths[end] as number);
      this.#document.count(documentMask, documentLength);
    });
    this.#bare.finishStatistics();
    this.#wide.finishStatistics();
    this.#document.finishStatistics();
    this.#fusion.setNamedSpeakers(named);
  }

  #scoreCandidates(): void {
    const documentCounts = new Float64Array(this.#query.terms.length);
    let best = 0;
    let bestMask = 0;
    this.#reader.eachCandidate((header, units) => {
      documentCounts.fill(0);
      const end = header + units;
      let documentMask = this.#reader.mask(header);
      let documentLength = this.#reader.length(header);
      this.#addCounts(header, documentCounts);
      for (let unit = header + 1; unit <= end; unit++) {
        documentMask |= this.#reader.mask(unit);
        documentLength += this.#reader.length(unit);
        this.#addCounts(unit, documentCounts);
        const bare = this.#bareScore(unit);
        const wide = this.#wideScore(unit, header, end);
        this.#bareScores[unit] = bare;
        this.#wideScores[unit] = wide;
        this.#fusion.bare.include(bare);
        this.#fusion.wide.include(wide);
        const flags = this.#reader.flags(unit);
        if (flags & COSINE_BARE) this.#fusion.cosineBare.include(this.#reader.cosineBare(unit));
        if (flags & COSINE_WIDE) this.#fusion.cosineWide.include(this.#reader.cosineWide(unit, header, end));
      }
      const document = this.#documentScore(documentCounts, documentLength);
      this.#documentScores[header] = document;
      this.#fusion.document.include(document);
      if (document > best) {
        best = document;
        bestMask = documentMask;
      }
    });
    this.#fusion.documentCoverage = this.#document.coverage(bestMask);
  }

  #bestUnits(limit: number): Hit[] {
    const top = new Top<Hit>(limit);
    this.#reader.eachCandidate((header, units, slot) => {
      const end = header + units;
      const prior = this.#documentPrior(header);
      for (let unit = header + 1; unit <= end; unit++) {
        if (!this.#hasEvidence(unit)) continue;
        const score = this.#score(unit, header, end, prior);
        if (score < top.threshold) continue;
        const hit = { score, slot, ordinal: unit - header - 1, header };
        if (top.wouldEnter(hit)) top.enter(hit);
      }
    });
    return top.sorted();
  }

  #score(unit: number, header: number, end: number, documentPrior: number): number {
    return this.#legs(unit, header, end) + documentPrior + this.#unitPriors(unit);
  }

  #documentPrior(header: number): number {
    return this.#fusion.documentPrior(this.#documentScores[header] as number);
  }

  #hasEvidence(unit: number): boolean {
    const flags = this.#reader.flags(unit);
    if (flags & LEFT_OUT) return false;
    return this.#wideMasks[unit] !== 0 || (flags & (COSINE_BARE | COSINE_WIDE)) !== 0;
  }

  #legs(unit: number, header: number, end: number): number {
    const flags = this.#reader.flags(unit);
    return this.#fusion.legs(
      this.#wideScores[unit] as number,
      this.#bareScores[unit] as number,
      flags & COSINE_BARE ? this.#reader.cosineBare(unit) : Number.NaN,
      flags & COSINE_WIDE ? this.#reader.cosineWide(unit, header, end) : Number.NaN,
    );
  }

  #unitPriors(unit: number): number {
    return this.#fusion.unitPriors(this.#reader.flags(unit), this.#reader.speakerOf(unit));
  }

  #evidence({ header, ordinal }: Hit): Evidence {
    const unit = header + 1 + ordinal;
    const end = header + this.#reader.units(header);
    const mask = this.#reader.mask(unit);
    const wideMask = this.#wideMasks[unit] as number;
    const flags = this.#reader.flags(unit);
    return {
      cosineBare: flags & COSINE_BARE ? this.#reader.cosineBare(unit) : null,
      cosineWide: flags & COSINE_WIDE ? this.#reader.cosineWide(unit, header, end) : null,
      share: shareOf(mask, this.#query.terms.length),
      shareWide: shareOf(wideMask, this.#query.terms.length),
      coverage: this.#bare.coverage(mask),
      coverageWide: this.#wide.coverage(wideMask),
      density: this.#density(unit),
      bm25Wide: this.#wideScores[unit] as number,
      bm25Bare: this.#bareScores[unit] as number,
      bm25Document: this.#documentScores[header] as number,
    };
  }

  #inputs({ header, ordinal }: Hit): RankerInputs | null {
    if (this.#query.core === null) return null;
    const unit = header + 1 + ordinal;
    const end = header + this.#reader.units(header);
    const follows = ordinal > 0 && this.#hasEvidence(unit - 1);
    return rankerInputs(this.#reader, this.#fusion, {
      ...{ header, ordinal },
      words: this.#wideScores[unit] as number,
      documentWords: this.#documentScores[header] as number,
      previous: follows ? this.#score(unit - 1, header, end, this.#documentPrior(header)) : 0,
    });
  }

  #density(unit: number): number {
    let matched = 0;
    for (let left = this.#reader.mask(unit); left !== 0; left &= left - 1)
      matched += this.#reader.count(unit, lowestBit(left));
    return matched === 0 ? 0 : matched / this.#reader.length(unit);
  }

  #bareScore(unit: number): number {
    const mask = this.#reader.mask(unit);
    if (mask === 0) return 0;
    const dampening = this.#bare.dampening(this.#reader.length(unit));
    let score = 0;
    for (let left = mask; left !== 0; left &= left - 1) {
      const term = lowestBit(left);
      score += this.#bare.gain(term, this.#reader.count(unit, term), dampening);
    }
    return score;
  }

  #wideScore(unit: number, header: number, end: number): number {
    const mask = this.#wideMasks[unit] as number;
    if (mask === 0) return 0;
    const dampening = this.#wide.dampening(this.#wideLengths[unit] as number);
    let score = 0;
    for (let left = mask; left !== 0; left &= left - 1) {
      const term = lowestBit(left);
      let count = this.#reader.countIfAny(header, term) + this.#reader.countIfAny(unit, term);
      if (unit > header + 1) count += this.#reader.countIfAny(unit - 1, term);
      if (unit < end) count += this.#reader.countIfAny(unit + 1, term);
      score += this.#wide.gain(term, count, dampening);
    }
    return score;
  }

  #documentScore(counts: Float64Array, length: number): number {
    const dampening = this.#document.dampening(length);
    let score = 0;
    for (let term = 0; term < counts.length; term++) {
      const count = counts[term] as number;
      if (count > 0) score += this.#document.gain(term, count, dampening);
    }
    return score;
  }

  #addCounts(record: number, counts: Float64Array): void {
    for (let left = this.#reader.mask(record); left !== 0; left &= left - 1) {
      const term = lowestBit(left);
      counts[term] = (counts[term] as number) + this.#reader.count(record, term);
    }
  }
}
