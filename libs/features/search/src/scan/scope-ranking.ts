import { ENDS_IN_QUESTION } from '../entries/unit.ts';
import { meanCosine, type RankerInputs } from '../ranking/inputs.ts';
import { Bm25, type FormStatistics } from './bm25.ts';
import { type Evidence, shareOf } from './evidence.ts';
import { Fusion } from './fusion.ts';
import type { PreparedQuery } from './query.ts';
import type { FusionWeights } from './weights.ts';

/** Statistics of everything in the searched scope, before filters. */
export interface ScopeStatistics {
  readonly bare: FormStatistics;
  readonly wide: FormStatistics;
  readonly document: FormStatistics;
  /** Hashes of the speakers in scope that are in `PreparedQuery.words`. */
  readonly speakers: ReadonlySet<number>;
}

/** Counts of the query terms in one text. */
export interface HeldTerms {
  /** Occurrences of each query term, in query order. */
  readonly counts: ArrayLike<number>;
  /** Number of terms of the text, repetitions included. */
  readonly length: number;
}

/** A unit with its term counts and cosines. */
export interface ScoredUnit {
  readonly wide: HeldTerms;
  readonly bare: HeldTerms;
  readonly cosineBare: number | null;
  readonly cosineWide: number | null;
  /** ENDS_IN_QUESTION | HOLDS_TIME_WORD */
  readonly flags: number;
  readonly speaker: number;
}

/**
 * The scores of `Ranking` for an engine that does not scan: it provides the statistics, the candidates, and their term
 * counts. Include every candidate before reading the first score.
 */
export class ScopeRanking {
  readonly #query: PreparedQuery;
  readonly #bare: Bm25;
  readonly #wide: Bm25;
  readonly #document: Bm25;
  readonly #fusion: Fusion;
  #bestDocument = 0;

  constructor(query: PreparedQuery, statistics: ScopeStatistics, weights?: FusionWeights) {
    this.#query = query;
    this.#bare = Bm25.of(query.terms, statistics.bare);
    this.#wide = Bm25.of(query.terms, statistics.wide);
    this.#document = Bm25.of(query.terms, statistics.document);
    this.#fusion = new Fusion(query.asksWhen, weights);
    this.#fusion.setNamedSpeakers(statistics.speakers);
  }

  /** Idf times weight of each term, for engines that search candidates by them. */
  get gains(): {
    readonly bare: ArrayLike<number>;
    readonly wide: ArrayLike<number>;
    readonly document: ArrayLike<number>;
  } {
    return { bare: this.#bare.gains, wide: this.#wide.gains, document: this.#document.gains };
  }

  includeUnit(unit: ScoredUnit): void {
    this.#fusion.bare.include(bm25(this.#bare, unit.bare));
    this.#fusion.wide.include(bm25(this.#wide, unit.wide));
    this.includeCosines(unit.cosineBare, unit.cosineWide);
  }

  /** Includes a candidate of which only the cosines are known, e.g. the most distant one. */
  includeCosines(bare: number | null, wide: number | null): void {
    if (bare !== null) this.#fusion.cosineBare.include(bare);
    if (wide !== null) this.#fusion.cosineWide.include(wide);
  }

  /** Includes a candidate of which only the wide form is known, e.g. the one with the lowest score. */
  includeWide(words: HeldTerms): void {
    this.#fusion.wide.include(bm25(this.#wide, words));
  }

  /** Includes a candidate whose bare form contains no query term. */
  includeBareWithoutWords(): void {
    this.#fusion.bare.include(0);
  }

  /** Includes a candidate whose wide form contains no query term. */
  includeWideWithoutWords(): void {
    this.#fusion.wide.include(0);
  }

  includeDocument(words: HeldTerms): void {
    const score = bm25(this.#document, words);
    this.#fusion.document.include(score);
    if (score <= this.#bestDocument) return;
    this.#bestDocument = score;
    this.#fusion.documentCoverage = this.#document.coverage(maskOf(words));
  }

  includeDocumentWithoutWords(): void {
    this.#fusion.document.include(0);
  }

  /** Upper bound of the document prior of any unit. */
  get mostOfDocument(): number {
    return this.#fusion.documentPrior(this.#bestDocument);
  }

  /** Returns the score without the document prior; null without any evidence, then the unit is not a result. */
  scoreAlone(unit: ScoredUnit): number | null {
    const { cosineBare, cosineWide } = unit;
    if (cosineBare === null && cosineWide === null && maskOf(unit.wide) === 0) return null;
    const legs = this.#fusion.legs(
      bm25(this.#wide, unit.wide),
      bm25(this.#bare, unit.bare),
      cosineBare ?? Number.NaN,
      cosineWide ?? Number.NaN,
    );
    return legs + this.#fusion.unitPriors(unit.flags, unit.speaker);
  }

  scoreOfDocument(words: HeldTerms): number {
    return this.#fusion.documentPrior(bm25(this.#document, words));
  }

  /**
   * Returns what the ranker takes from the scores of a unit with a vector.
   * @param around cosines of the units up to `NEAR` places away, itself included; null: no vector
   */
  inputs(
    unit: ScoredUnit,
    document: HeldTerms,
    {
      around,
      core,
      previous,
    }: {
      readonly around: readonly (number | null)[];
      readonly core: number;
      readonly previous: ScoredUnit | null;
    },
  ): RankerInputs {
    const question = previous !== null && previous.flags & ENDS_IN_QUESTION ? this.scoreAlone(previous) : null;
    return {
      words: bm25(this.#wide, unit.wide),
      documentWords: bm25(this.#document, document),
      meaning: unit.cosineBare ?? 0,
      wide: unit.cosineWide ?? 0,
      core,
      near: meanCosine(around),
      speaker: this.#fusion.relation(unit.speaker),
      flags: unit.flags,
      previous: question === null ? 0 : question + this.scoreOfDocument(document),
    };
  }

  evidence(unit: ScoredUnit, document: HeldTerms): Evidence {
    const terms = this.#query.terms.length;
    const mask = maskOf(unit.bare);
    const wideMask = maskOf(unit.wide);
    const matched = sum(unit.bare.counts);
    return {
      cosineBare: unit.cosineBare,
      cosineWide: unit.cosineWide,
      share: shareOf(mask, terms),
      shareWide: shareOf(wideMask, terms),
      coverage: this.#bare.coverage(mask),
      coverageWide: this.#wide.coverage(wideMask),
      density: matched === 0 ? 0 : matched / unit.bare.length,
      bm25Wide: bm25(this.#wide, unit.wide),
      bm25Bare: bm25(this.#bare, unit.bare),
      bm25Document: bm25(this.#document, document),
    };
  }
}

function bm25(form: Bm25, { counts, length }: HeldTerms): number {
  const dampening = form.dampening(length);
  let score = 0;
  for (let term = 0; term < counts.length; term++) {
    const count = counts[term] as number;
    if (count > 0) score += form.gain(term, count, dampening);
  }
  return score;
}

function maskOf({ counts }: HeldTerms): number {
  let mask = 0;
  for (let term = 0; term < counts.length; term++) if ((counts[term] as number) > 0) mask |= 1 << term;
  return mask;
}

function sum(numbers: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < numbers.length; i++) total += numbers[i] as number;
  return total;
}
