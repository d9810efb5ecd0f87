import type { RerankMethod } from '#features/search';

export interface RerankedPassage {
  readonly text: string;
  /** The vector space that holds both the passage and the question. Null: the passage has no vector. */
  readonly space: string | null;
  /** The unit and its organization, by which its stored tokens are found. */
  readonly unitId: string;
  readonly organization: string;
}

export interface RerankScores {
  readonly method: RerankMethod;
  /**
   * Of each passage. MaxSim: −1…1, the mean over the question's tokens of the highest cosine with a token of the passage.
   * Cross-encoder: the logit of being relevant. Null: there was no time for the passage, or it cannot be compared.
   */
  readonly scores: readonly (number | null)[];
}

/** Compares a question with the passages that a search has found, more closely than the search could. */
export interface Reranker {
  /** Null: nothing can be compared at present. */
  method(): RerankMethod | null;
  /** How many passages of a question are worth being compared at present. */
  most(): number;
  /**
   * Compares the first passages first, and answers with what there was time for.
   * @param withinMs the answer is there at about this time. Milliseconds.
   * @returns null: nothing can be compared
   */
  rerank(question: string, passages: readonly RerankedPassage[], withinMs: number): Promise<RerankScores | null>;
  close(): Promise<void>;
}

/** Passages of a question that go through a model in time. */
export const MOST_COMPUTED = 40;

export const RERANKER = Symbol('Reranker');

/** Time for the passages of one question. Milliseconds. */
export const RERANK_MS = 300;
