import { ENDS_IN_QUESTION, HOLDS_TIME_WORD } from '../entries/unit.ts';
import { type FusionWeights, MEASURED_WEIGHTS } from './weights.ts';

/** Range of one leg over the candidates; normalizes its values to 0…1. */
class Range {
  #min = Infinity;
  #max = -Infinity;

  /** True if no candidate has this leg. */
  get isEmpty(): boolean {
    return this.#max === -Infinity;
  }

  include(value: number): void {
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
  }

  /** Returns the value in 0…1. If all candidates are equal: 1 for a positive value, else 0. */
  normalize(value: number): number {
    if (this.#max > this.#min) return (value - this.#min) / (this.#max - this.#min);
    return value > 0 ? 1 : 0;
  }
}

/**
 * Adds up the legs and priors of one search, for every engine. Include the ranges of all candidates before reading the
 * first score.
 */
export class Fusion {
  readonly bare = new Range();
  readonly wide = new Range();
  readonly document = new Range();
  readonly cosineBare = new Range();
  readonly cosineWide = new Range();
  /** Share of the query, by idf, that occurs in the best document. */
  documentCoverage = 0;
  readonly #weights: FusionWeights;
  readonly #asksWhen: boolean;
  #speaker = 0;

  constructor(asksWhen: boolean, weights: FusionWeights = MEASURED_WEIGHTS) {
    this.#asksWhen = asksWhen;
    this.#weights = weights;
  }

  /** Sets the speakers in scope that the query names; the speaker prior applies to exactly one. */
  setNamedSpeakers(speakers: ReadonlySet<number>): void {
    if (speakers.size === 1) [this.#speaker = 0] = speakers;
  }

  /**
   * Returns the weighted legs.
   * @param cosineBare NaN if missing: the lexical score replaces it
   * @param cosineWide NaN if missing: the bare cosine replaces it, or the lexical score
   */
  legs(wide: number, bare: number, cosineBare: number, cosineWide: number): number {
    const { hybrid } = this.#weights;
    const normalWide = this.wide.normalize(wide);
    if (this.cosineBare.isEmpty && this.cosineWide.isEmpty) return this.#words(normalWide, bare);
    const normalCosineBare = Number.isNaN(cosineBare)
      ? this.#words(normalWide, bare)
      : this.cosineBare.normalize(cosineBare);
    const normalCosineWide = Number.isNaN(cosineWide) ? normalCosineBare : this.cosineWide.normalize(cosineWide);
    return hybrid.bm25Wide * normalWide + hybrid.cosineBare * normalCosineBare + hybrid.cosineWide * normalCosineWide;
  }

  #words(normalWide: number, bare: number): number {
    const { lexical } = this.#weights;
    return lexical.bm25Wide * normalWide + lexical.bm25Bare * this.bare.normalize(bare);
  }

  /**
   * Scales by the coverage of the best document. After normalization alone, a document with one common query word would
   * weigh as much as one with all of them, and rank above a paraphrase that shares none.
   */
  documentPrior(score: number): number {
    return this.#weights.document * this.documentCoverage * this.document.normalize(score);
  }

  /** 1: the query names exactly one speaker, and this is them; −1: this is another one. */
  relation(speaker: number): -1 | 0 | 1 {
    if (this.#speaker === 0 || speaker === 0) return 0;
    return speaker === this.#speaker ? 1 : -1;
  }

  unitPriors(flags: number, speaker: number): number {
    let prior = 0;
    if (flags & ENDS_IN_QUESTION) prior += this.#weights.question;
    if (flags & HOLDS_TIME_WORD && this.#asksWhen) prior += this.#weights.time;
    if (this.#speaker !== 0 && speaker === this.#speaker) prior += this.#weights.speaker;
    return prior;
  }
}
