import { ENDS_IN_QUESTION, HOLDS_TIME_WORD } from '../entries/unit.ts';
import { type FusionWeights, MEASURED_WEIGHTS } from './weights.ts';

/** Smallest and largest value of one leg over the candidates, brought to 0…1. */
export class Range {
  #min = Infinity;
  #max = -Infinity;

  /** Nothing was included: there is no such leg. */
  get isEmpty(): boolean {
    return this.#max === -Infinity;
  }

  include(value: number): void {
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
  }

  /** Where all candidates are equal the leg does not order them: 1 if it speaks for them at all. */
  normalize(value: number): number {
    if (this.#max > this.#min) return (value - this.#min) / (this.#max - this.#min);
    return value > 0 ? 1 : 0;
  }
}

/**
 * Adds up the legs and priors of one search: the same for every engine, whatever brought the scores. Filled in two steps:
 * first the ranges of all candidates, then every candidate's score is asked for.
 */
export class Fusion {
  readonly bare = new Range();
  readonly wide = new Range();
  readonly document = new Range();
  readonly cosineBare = new Range();
  readonly cosineWide = new Range();
  /** Share of the question, by idf, that the best document holds. */
  documentCoverage = 0;
  readonly #weights: FusionWeights;
  readonly #asksWhen: boolean;
  #speaker = 0;

  constructor(asksWhen: boolean, weights: FusionWeights = MEASURED_WEIGHTS) {
    this.#asksWhen = asksWhen;
    this.#weights = weights;
  }

  /** @param speakers hashes of those in scope whom the question names; only a single one counts */
  name(speakers: ReadonlySet<number>): void {
    if (speakers.size === 1) [this.#speaker = 0] = speakers;
  }

  /** @param cosineBare NaN: the unit has none, and takes its score by words for it; likewise `cosineWide` */
  legs(wide: number, bare: number, cosineBare: number, cosineWide: number): number {
    const { hybrid } = this.#weights;
    const normalWide = this.wide.normalize(wide);
    if (this.cosineBare.isEmpty && this.cosineWide.isEmpty) return this.#words(normalWide, bare);
    const normalCosineBare = Number.isNaN(cosineBare)
      ? this.#words(normalWide, bare)
      : this.cosineBare.normalize(cosineBare);
    const normalCosineWide = Number.isNaN(cosineWide)
      ? this.#words(normalWide, bare)
      : this.cosineWide.normalize(cosineWide);
    return hybrid.bm25Wide * normalWide + hybrid.cosineBare * normalCosineBare + hybrid.cosineWide * normalCosineWide;
  }

  #words(normalWide: number, bare: number): number {
    const { lexical } = this.#weights;
    return lexical.bm25Wide * normalWide + lexical.bm25Bare * this.bare.normalize(bare);
  }

  /**
   * Scaled by what the best document holds of the question: brought to 0…1, a document with one of its lesser words would
   * else weigh as much as one with all of them, and stand before a paraphrase that shares none.
   */
  documentPrior(score: number): number {
    return this.#weights.document * this.documentCoverage * this.document.normalize(score);
  }

  unitPriors(flags: number, speaker: number): number {
    let prior = 0;
    if (flags & ENDS_IN_QUESTION) prior += this.#weights.question;
    if (flags & HOLDS_TIME_WORD && this.#asksWhen) prior += this.#weights.time;
    if (this.#speaker !== 0 && speaker === this.#speaker) prior += this.#weights.speaker;
    return prior;
  }
}
