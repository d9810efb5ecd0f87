import type { DocumentResult, Explanation, Rewriting, TimedResults } from '#features/search/use-cases';
import { isoTime, type Metadata } from '#platform/kernel';
import { locationOf, type PassageLocation } from '../documents/location.responses.ts';
import { contentFields } from '../documents/record-content.ts';
import type { Count, Score, Timestamp } from '../openapi/scalars.ts';

/** Answers of the search for documents (contract §4.2). The classes are types only; none is instantiated. */

/** Shares of the features of the ranking. A negative one lowers the passage. */
export class RankingShares {
  /** Words of the passage with its neighbours (BM25). */
  readonly words!: number;
  /** Cosine of the question and the passage. */
  readonly meaning!: number;
  /** Cosine of the question and the passage with its neighbours. */
  readonly wide!: number;
  /** Mean cosine of the question and the seven passages around it. */
  readonly near!: number;
  /** Cosine of the passage and the question without question words and names. */
  readonly core!: number;
  /** Words of the whole document (BM25). */
  readonly documentWords!: number;
  /** Best score of a passage of the document. */
  readonly documentBest!: number;
  /** The question names the speaker. */
  readonly namedSpeaker!: number;
  /** The question names another speaker. */
  readonly otherSpeaker!: number;
  /** The passage is a question. */
  readonly question!: number;
  /** The question asks when, and the passage holds a time. */
  readonly time!: number;
  /** A date in the question is that of the document. */
  readonly date!: number;
  /** A date in the question is one of which the passage speaks, as "yesterday". */
  readonly relativeDate!: number;
  /** The passage holds what the question asks for: a number, a place, a name, a reason. */
  readonly answerType!: number;
  /** Score of the passage before it, if that is a question. */
  readonly previous!: number;
}

/** What the second comparison of a passage and the question says. */
export class RerankExplanation {
  /** `maxsim`: the tokens of the embedding model; `cross-encoder`: the model in MNEME_MODELS. */
  readonly method!: 'maxsim' | 'cross-encoder';
  /**
   * `maxsim`: the mean over the question's tokens of the highest cosine with a token of the passage, -1 to 1.
   * `cross-encoder`: the logit.
   */
  readonly score!: number;
}

/** The parts of a score. Null for neighbours added as context, for joined results, and for what `*` lists. */
export class ResultExplanation {
  /** Cosine of the question and the passage; null: found by words alone. */
  readonly cosine!: number | null;
  /**
   * The same, of the passage with its neighbours and, in some vector spaces, the document's date. Of a chunk: of the whole
   * document if this is short prose, else null.
   */
  readonly cosineWide!: number | null;
  /** Share of the question's terms that the passage contains, weighted by rarity. */
  readonly coverage!: Score;
  /**
   * What each feature adds to the score by which passages of conversations are ordered among each other. Null for passages
   * without a speaker or a date, and in searches by words alone.
   */
  readonly ranking!: RankingShares | null;
  /** Only with `rewriteQuery`: the form of the question by which the passage is most similar. */
  readonly form?: string;
  /** Only with `rewriteQuery`: whether the passage holds what the question asks for, e.g. a time. */
  readonly fitsIntent?: boolean;
  /** Only with `rerank`. Null: the passage kept its place. */
  readonly rerank?: RerankExplanation | null;
}

/** A form in which a question was searched. */
export class SearchedForm {
  /** What was searched. */
  readonly text!: string;
  /** How it follows from the question: asked, spelling, dates, part, plain. */
  readonly kinds!: readonly string[];
}

/** How a question was understood. */
export class QuestionExplanation {
  /** What it asks for: when, where, who, how many, why, other. */
  readonly intent!: string;
  /** The first one is the question as it came. At most four. */
  readonly forms!: readonly SearchedForm[];
}

/** A passage of a found document. */
export class ChunkResult {
  /** Text of the passage. */
  readonly content!: string;
  /** False for a neighbour that was added as context. */
  readonly isRelevant!: boolean;
  /** Similarity of the question and the passage. */
  readonly score!: Score;
  /** Place of the passage in its document, from 0. */
  readonly position!: Count;
  /** Where the passage stands in the source. Absent if it is not known. */
  readonly location?: PassageLocation;
  /** Only with `explain`. */
  readonly explain?: ResultExplanation | null;
}

/** A found document with its passages. */
export class DocumentHit {
  /** Id of the document. */
  readonly documentId!: string;
  /** The same as `documentId`. */
  readonly id!: string;
  /** Your own identifier, or null. */
  readonly customId!: string | null;
  /** Derived from the content, or null. */
  readonly title!: string | null;
  /** Type of the content. */
  readonly type!: string | null;
  /** Score of the best passage. */
  readonly score!: Score;
  /** The best passages. */
  readonly chunks!: readonly ChunkResult[];
  /** Metadata of the document, or null. */
  readonly metadata!: Metadata | null;
  readonly createdAt!: Timestamp;
  readonly updatedAt!: Timestamp;
  /** Only with `includeFullDocs`. */
  readonly content?: string | null;
  /** Only if the contents before it leave no room for this one, of 64 MB in an answer: then `content` is null. */
  readonly contentOmitted?: boolean;
  /** Only with `includeSummary`. */
  readonly summary?: string | null;
}

/** The found documents. */
export class DocumentResults {
  /** The best first. */
  readonly results!: readonly DocumentHit[];
  /** Milliseconds. */
  readonly timing!: number;
  /** Number of results. */
  readonly total!: Count;
  /** Only with `explain` and `rewriteQuery`. */
  readonly explain?: QuestionExplanation;
}

/** The field that explains a score, if it is wanted. */
export const explanationField = (explanation: Explanation | null, wanted: boolean) =>
  wanted ? { explain: explanation } : {};

/** The field that explains the question, if it is wanted and the question was rewritten. */
export const rewritingField = (rewriting: Rewriting | null, wanted: boolean) =>
  wanted && rewriting !== null ? { explain: rewriting } : {};

export interface DocumentSearchParts {
  readonly includeFullDocs: boolean;
  readonly includeSummary: boolean;
  readonly explain: boolean;
}

/** A found document but for its content. */
export const documentHit = (
  { document, score, chunks }: DocumentResult,
  parts: DocumentSearchParts,
): Omit<DocumentHit, 'content' | 'contentOmitted'> => ({
  documentId: document.id,
  id: document.id,
  customId: document.customId,
  title: document.title,
  type: document.type,
  score,
  chunks: chunks.map((chunk) => ({
    content: chunk.content,
    isRelevant: chunk.isRelevant,
    score: chunk.score,
    position: chunk.position,
    ...locationOf(chunk),
    ...explanationField(chunk.explanation, parts.explain),
  })),
  metadata: document.metadata,
  createdAt: isoTime(document.createdAt),
  updatedAt: isoTime(document.updatedAt),
  ...(parts.includeSummary ? { summary: document.summary } : {}),
});

/** @param found without content that is still to be read */
export const documentResults = (
  { results, rewriting, timing }: TimedResults<DocumentResult>,
  parts: DocumentSearchParts,
): DocumentResults => ({
  results: results.map((result) => ({
    ...documentHit(result, parts),
    ...(parts.includeFullDocs && contentFields(result)),
  })),
  timing,
  total: results.length,
  ...rewritingField(rewriting, parts.explain),
});
