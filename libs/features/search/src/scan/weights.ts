import { sharesWindows } from '../spaces.ts';

/** Weights of the legs of a search, each normalized to 0…1 over the candidates, and of the priors. */
export interface FusionWeights {
  /** Legs if query and units have vectors. */
  readonly hybrid: { readonly bm25Wide: number; readonly cosineBare: number; readonly cosineWide: number };
  /** Legs without vectors. Sums to 1 like `hybrid`, so that the priors have the same weight in both. */
  readonly lexical: { readonly bm25Wide: number; readonly bm25Bare: number };
  /** BM25 of the whole document, 0…1 over the candidates' documents, times the coverage of the best one. */
  readonly document: number;
  /** Added if the query names exactly one speaker in scope and the unit is theirs. */
  readonly speaker: number;
  /** Added if the unit ends in a question mark. */
  readonly question: number;
  /** Added if the query asks for a time and the unit contains a time word. */
  readonly time: number;
}

/**
 * Fitted on five conversations of LoCoMo and checked on the other five (hybrid and priors). The lexical pair has the best
 * measured ratio, bare at half the weight of wide.
 */
export const MEASURED_WEIGHTS: FusionWeights = {
  hybrid: { bm25Wide: 0.2, cosineBare: 0.5, cosineWide: 0.3 },
  lexical: { bm25Wide: 2 / 3, bm25Bare: 1 / 3 },
  document: 0.2,
  speaker: 0.1,
  question: -0.05,
  time: 0.1,
};

/**
 * For chunks in spaces whose units share windows: words, the nearest memory, and the whole document; without a vector of the
 * document, the memory has its share. Values in the middle of a range in which Cranfield's nDCG@10 hardly changes.
 */
const CHUNK_WEIGHTS: FusionWeights = {
  ...MEASURED_WEIGHTS,
  hybrid: { bm25Wide: 0.25, cosineBare: 0.25, cosineWide: 0.5 },
};

/** The weights for units of a kind. @param space of the question's vector; null: it has none */
export const weightsOf = (kind: 'chunk' | 'memory', space: string | null): FusionWeights =>
  kind === 'chunk' && space !== null && sharesWindows(space) ? CHUNK_WEIGHTS : MEASURED_WEIGHTS;
