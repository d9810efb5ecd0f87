import type { FoundChunk, MemoryResult, TimedResults } from '#features/search/use-cases';
import { isoTime, type Metadata } from '#platform/kernel';
import type { DocumentRow, Unit } from '#read-side/views';
import { locationOf, type PassageLocation } from '../documents/location.responses.ts';
import type { Count, Score, Timestamp } from '../openapi/scalars.ts';
import {
  explanationField,
  type QuestionExplanation,
  type ResultExplanation,
  rewritingField,
} from './search.responses.ts';

/** Answers of the search for memories (contract §2.4). The classes are types only; none is instantiated. */

/** The document that a result comes from. */
export class SourceDocument {
  /** Id of the document. */
  readonly id!: string;
  /** Only with `include.documents`. */
  readonly title?: string | null;
  /** Only with `include.documents`. */
  readonly type?: string;
  /** Only with `include.documents`. */
  readonly metadata?: Metadata | null;
  /** Only with `include.summaries`. */
  readonly summary?: string | null;
  readonly createdAt!: Timestamp;
  readonly updatedAt!: Timestamp;
}

/** A chunk that the search has found. */
export class FoundPassage {
  /** Text of the chunk. */
  readonly content!: string;
  /** Place of the chunk in its document, from 0. */
  readonly position!: Count;
  /** Id of its document. */
  readonly documentId!: string;
  /** Similarity of the question and the chunk. */
  readonly score!: Score;
}

/** An earlier or later version of a memory. */
export class MemoryVersion {
  /** How it follows from the other version, or the other one from it. */
  readonly relation!: 'updates' | 'extends' | 'derives';
  /** Distance from the result: -1, -2 of parents, 1, 2 of children. */
  readonly version!: number | null;
  /** Text of the memory. */
  readonly memory!: string;
  /** Metadata of the version, or null. */
  readonly metadata!: Metadata | null;
  /** When it was recorded. */
  readonly updatedAt!: Timestamp;
}

/** A memory that stands before or after the result in its document. */
export class RelatedMemory {
  /** In this version always `extends`. */
  readonly relation!: 'extends' | 'derives';
  /** Text of the memory. */
  readonly memory!: string;
  /** Metadata of the document, or null. */
  readonly metadata!: Metadata | null;
  readonly updatedAt!: Timestamp;
}

/** The relatives of a memory. */
export class MemoryContext {
  /** Earlier versions of a memory, the newest first; at most ten. */
  readonly parents!: readonly MemoryVersion[];
  /** Empty in this version. */
  readonly children!: readonly MemoryVersion[];
  /** In the order of the document. Empty for chunks and for joined results. */
  readonly related!: readonly RelatedMemory[];
}

/** A found memory or passage. */
export class MemoryHit {
  /** Id of the memory or passage. */
  readonly id!: string;
  /** Text of a memory; never together with `chunk`. */
  readonly memory?: string;
  /** Text of a chunk; never together with `memory`. */
  readonly chunk?: string;
  /** The same text as `memory` or `chunk`: some clients read only this. */
  readonly content!: string;
  /** Similarity of the question and the text. */
  readonly similarity!: Score;
  /** Title of the document. Absent if it has none. */
  readonly title?: string;
  /** Metadata of the document, or null. */
  readonly metadata!: Metadata | null;
  readonly updatedAt!: Timestamp;
  /** Virtual path of the document, or null. */
  readonly filepath!: string | null;
  /** Where the text stands in the source of the document. Absent if it is not known, and of a joined result. */
  readonly location?: PassageLocation;
  /** Only of a memory. */
  readonly version?: Count;
  /** Only of a memory: id of its first version. */
  readonly rootMemoryId?: string;
  /** Only of a memory that is forgotten or expired: true. */
  readonly isForgotten?: boolean;
  /** Only of a memory that expires. */
  readonly forgetAfter?: Timestamp;
  /** Only of a chunk. */
  readonly documentId?: string;
  /** Only with `include.documents` or `include.summaries`. Of a joined result: all of its documents. */
  readonly documents?: readonly SourceDocument[];
  /** Only with `include.relatedMemories`. */
  readonly context?: MemoryContext;
  /** Only with `include.chunks`: at most five chunks of its documents that reach the threshold, the best first. */
  readonly chunks?: readonly FoundPassage[];
  /** Only with `aggregate`, of a result that joins several: all but its text is that of the best one. */
  readonly isAggregated?: boolean;
  /** Only with `explain`. */
  readonly explain?: ResultExplanation | null;
}

/** The found memories and passages. */
export class MemoryResults {
  /** The best first. */
  readonly results!: readonly MemoryHit[];
  /** Milliseconds. */
  readonly timing!: number;
  /** Number of results. */
  readonly total!: Count;
  /** Only with `explain` and `rewriteQuery`. */
  readonly explain?: QuestionExplanation;
}

export interface MemorySearchParts {
  readonly documents: boolean;
  readonly summaries: boolean;
  readonly explain: boolean;
}

export const memoryResults = (
  { results, rewriting, timing }: TimedResults<MemoryResult>,
  parts: MemorySearchParts,
): MemoryResults => ({
  results: results.map((memory) => memoryHit(memory, parts)),
  timing,
  total: results.length,
  ...rewritingField(rewriting, parts.explain),
});

function memoryHit(result: MemoryResult, parts: MemorySearchParts): MemoryHit {
  const { unit, similarity, document, explanation, aggregate } = result;
  const text = aggregate?.text ?? unit.text;
  const sources = aggregate?.documents ?? [result.source ?? document];
  return {
    id: unit.id,
    ...(unit.kind === 'memory' ? { memory: text, ...versionOf(result) } : { chunk: text, documentId: document.id }),
    content: text,
    similarity,
    ...(document.title === null ? {} : { title: document.title }),
    metadata: document.metadata,
    updatedAt: isoTime(document.updatedAt),
    filepath: document.filepath,
    ...(aggregate === undefined ? locationOf(unit) : { isAggregated: true }),
    ...(parts.documents || parts.summaries ? { documents: sources.flatMap((one) => sourceDocument(one, parts)) } : {}),
    ...(result.related === undefined ? {} : { context: contextOf(result, result.related) }),
    ...(result.chunks === undefined ? {} : { chunks: result.chunks.map(foundPassage) }),
    ...explanationField(explanation, parts.explain),
  };
}

const foundPassage = ({ unit, documentId, similarity }: FoundChunk): FoundPassage => ({
  content: unit.text,
  position: unit.ordinal,
  documentId,
  score: similarity,
});

/** A memory of a document has one version. */
function versionOf({ unit, document: { id, memory }, isInactive }: MemoryResult) {
  if (memory === undefined) return { version: 1, rootMemoryId: unit.id };
  const { version, forgetAfter } = memory;
  return {
    ...{ version, rootMemoryId: id },
    ...(isInactive && { isForgotten: true }),
    ...(forgetAfter !== null && { forgetAfter }),
  };
}

const contextOf = (
  { document: { metadata, updatedAt }, parents = [] }: MemoryResult,
  related: readonly Unit[],
): MemoryContext => ({
  parents: parents.map((parent, i) => ({
    ...{ relation: 'updates', version: -1 - i, memory: parent.text },
    ...{ metadata: parent.metadata, updatedAt: isoTime(parent.createdAt) },
  })),
  children: [],
  related: related.map(({ text }) => ({ relation: 'extends', memory: text, metadata, updatedAt: isoTime(updatedAt) })),
});

/** A memory that was recorded directly has none. */
const sourceDocument = (document: DocumentRow, parts: MemorySearchParts): readonly SourceDocument[] =>
  document.memory === undefined
    ? [
        {
          id: document.id,
          ...(parts.documents ? { title: document.title, type: document.type, metadata: document.metadata } : {}),
          ...(parts.summaries ? { summary: document.summary } : {}),
          createdAt: isoTime(document.createdAt),
          updatedAt: isoTime(document.updatedAt),
        },
      ]
    : [];
