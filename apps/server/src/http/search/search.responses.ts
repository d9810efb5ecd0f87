import { isoTime, type Metadata } from '#kernel';
import type { DocumentResult, Explanation, MemoryResult, Profile } from '#search/use-cases';
import type { DocumentRow } from '#views';
import type { Count, Score, Timestamp } from '../openapi/scalars.ts';

/** Answers of the searches and the profile (contract §2). The classes are types only; none is instantiated. */

/** Null for neighbours added as context, and for what `*` lists. */
export class ResultExplanation {
  /** Cosine of the question and the passage; null: found by words alone. */
  readonly cosine!: number | null;
  /** The same, of the passage with its neighbours and the document's date. */
  readonly cosineWide!: number | null;
  /** Share of the question's terms that the passage contains, weighted by rarity. */
  readonly coverage!: Score;
}

export class ChunkResult {
  readonly content!: string;
  readonly isRelevant!: boolean;
  readonly score!: Score;
  readonly position!: Count;
  /** Only with `explain`. */
  readonly explain?: ResultExplanation | null;
}

export class DocumentHit {
  readonly documentId!: string;
  readonly id!: string;
  readonly customId!: string | null;
  readonly title!: string | null;
  readonly type!: string | null;
  readonly score!: Score;
  readonly chunks!: readonly ChunkResult[];
  readonly metadata!: Metadata | null;
  readonly createdAt!: Timestamp;
  readonly updatedAt!: Timestamp;
  /** Only with `includeFullDocs`. */
  readonly content?: string | null;
  /** Only with `includeSummary`. */
  readonly summary?: string | null;
}

export class DocumentResults {
  readonly results!: readonly DocumentHit[];
  /** Milliseconds. */
  readonly timing!: number;
  readonly total!: Count;
}

export class SourceDocument {
  readonly id!: string;
  readonly title?: string | null;
  readonly type?: string;
  readonly metadata?: Metadata | null;
  readonly summary?: string | null;
  readonly createdAt!: Timestamp;
  readonly updatedAt!: Timestamp;
}

export class MemoryHit {
  readonly id!: string;
  /** Text of a memory; never together with `chunk`. */
  readonly memory?: string;
  /** Text of a chunk; never together with `memory`. */
  readonly chunk?: string;
  readonly similarity!: Score;
  readonly title?: string;
  readonly metadata!: Metadata | null;
  readonly updatedAt!: Timestamp;
  readonly filepath!: string | null;
  /** Only of a memory. */
  readonly version?: Count;
  /** Only of a memory. */
  readonly rootMemoryId?: string;
  /** Only of a chunk. */
  readonly documentId?: string;
  /** Only with `include.documents` or `include.summaries`. */
  readonly documents?: readonly SourceDocument[];
  /** Only with `explain`. */
  readonly explain?: ResultExplanation | null;
}

export class MemoryResults {
  readonly results!: readonly MemoryHit[];
  /** Milliseconds. */
  readonly timing!: number;
  readonly total!: Count;
}

export class ProfileSections {
  readonly static!: readonly string[];
  /** The newest memories of the tag, newest first. */
  readonly dynamic!: readonly string[];
  readonly buckets!: Readonly<Record<string, readonly string[]>>;
}

export class ProfileAnswer {
  readonly profile!: ProfileSections;
  /** Only with `q`. */
  readonly searchResults?: MemoryResults;
}

const explained = (explanation: Explanation | null, wanted: boolean) => (wanted ? { explain: explanation } : {});

export interface DocumentSearchParts {
  readonly includeFullDocs: boolean;
  readonly includeSummary: boolean;
  readonly explain: boolean;
}

export const documentResults = (
  found: readonly DocumentResult[],
  timing: number,
  parts: DocumentSearchParts,
): DocumentResults => ({
  results: found.map(({ document, score, chunks, content }) => ({
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
      ...explained(chunk.explanation, parts.explain),
    })),
    metadata: document.metadata,
    createdAt: isoTime(document.createdAt),
    updatedAt: isoTime(document.updatedAt),
    ...(parts.includeFullDocs ? { content } : {}),
    ...(parts.includeSummary ? { summary: document.summary } : {}),
  })),
  timing,
  total: found.length,
});

export interface MemorySearchParts {
  readonly documents: boolean;
  readonly summaries: boolean;
  readonly explain: boolean;
}

export const memoryResults = (
  found: readonly MemoryResult[],
  timing: number,
  parts: MemorySearchParts,
): MemoryResults => ({
  results: found.map((memory) => memoryHit(memory, parts)),
  timing,
  total: found.length,
});

function memoryHit({ unit, similarity, document, explanation }: MemoryResult, parts: MemorySearchParts): MemoryHit {
  return {
    id: unit.id,
    ...(unit.kind === 'memory'
      ? { memory: unit.text, version: 1, rootMemoryId: unit.id }
      : { chunk: unit.text, documentId: document.id }),
    similarity,
    ...(document.title === null ? {} : { title: document.title }),
    metadata: document.metadata,
    updatedAt: isoTime(document.updatedAt),
    filepath: document.filepath,
    ...(parts.documents || parts.summaries ? { documents: [sourceDocument(document, parts)] } : {}),
    ...explained(explanation, parts.explain),
  };
}

const sourceDocument = (document: DocumentRow, parts: MemorySearchParts): SourceDocument => ({
  id: document.id,
  ...(parts.documents ? { title: document.title, type: document.type, metadata: document.metadata } : {}),
  ...(parts.summaries ? { summary: document.summary } : {}),
  createdAt: isoTime(document.createdAt),
  updatedAt: isoTime(document.updatedAt),
});

const PLAIN: MemorySearchParts = { documents: false, summaries: false, explain: false };

export interface ProfileMatches {
  readonly found: readonly MemoryResult[];
  readonly timing: number;
}

export const profileAnswer = (profile: Profile, search: ProfileMatches | null): ProfileAnswer => ({
  profile: { static: profile.static, dynamic: profile.dynamic, buckets: {} },
  ...(search === null ? {} : { searchResults: memoryResults(search.found, search.timing, PLAIN) }),
});
