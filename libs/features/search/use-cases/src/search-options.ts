import { performance } from 'node:perf_hooks';
import type { FeatureValues, Filter, FormKind, Intent, QuestionForms, RerankMethod } from '#features/search';

export interface SearchOptions {
  /** `*` lists by recency. */
  readonly question: string;
  readonly filter: Filter | null;
  readonly filepath: string | null;
  readonly limit: number;
  /** Searches several forms of the question. */
  readonly rewriteQuery: boolean;
  /** Compares the best passages with the question a second time. */
  readonly rerank: boolean;
  /** What was known at this time: milliseconds since the epoch. Null or absent: what is known now. */
  readonly asOf?: number | null;
}

/** The parts of a passage's score, for people and for `explain`. */
export interface Explanation {
  /** Cosine of the passage; null: searched by words alone. */
  readonly cosine: number | null;
  /** Cosine of the passage with its neighbours, or of the document of a chunk; null: it has no such vector. */
  readonly cosineWide: number | null;
  /** Share of the question's terms that the passage contains, weighted by rarity, 0–1. */
  readonly coverage: number;
  /** What each feature adds to the score by which the ranker orders. Null: the base formula alone has ranked it. */
  readonly ranking: FeatureValues | null;
  /** With `rewriteQuery`: the form of the question by which the passage is most similar. */
  readonly form?: string;
  /** With `rewriteQuery`: whether the passage holds what the question asks for. */
  readonly fitsIntent?: boolean;
  /** With `rerank`: what the second comparison says. Null: it kept its place. */
  readonly rerank?: { readonly method: RerankMethod; readonly score: number } | null;
}

/** How a question was understood, with `rewriteQuery`. */
export interface Rewriting {
  readonly intent: Intent;
  /** The first one is the question as it came. */
  readonly forms: readonly { readonly text: string; readonly kinds: readonly FormKind[] }[];
}

/** Results, the best first. */
export interface SearchResults<T> {
  readonly results: readonly T[];
  /** Null: the question was searched as it came. */
  readonly rewriting: Rewriting | null;
}

export interface TimedResults<T> extends SearchResults<T> {
  /** Milliseconds that the search took, rounded to a tenth. */
  readonly timing: number;
}

/** @param start time of `performance.now` */
export const timingSince = (start: number): number => Math.round((performance.now() - start) * 10) / 10;

export const rewritingOf = ({ intent, forms }: QuestionForms): Rewriting => ({
  intent: intent ?? 'other',
  forms: forms.map(({ text, kinds }) => ({ text, kinds })),
});
