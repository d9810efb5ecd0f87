import type { DocumentChunks } from '#features/documents/use-cases';
import { isoTime, type Metadata } from '#platform/kernel';
import type { Unit } from '#read-side/views';
import type { Count, Timestamp } from '../openapi/scalars.ts';
import { locationOf, type PassageLocation } from './location.responses.ts';

/** A passage of a document, as searches find it. */
export class Chunk {
  /** Id of the passage. */
  readonly id!: string;
  /** From 0. */
  readonly position!: Count;
  /** Text of the passage. */
  readonly content!: string;
  /** Always `text` in this version. */
  readonly type!: 'text' | 'image';
  /** Always null in this version. */
  readonly metadata!: Metadata | null;
  readonly createdAt!: Timestamp;
  /** Where the passage stands in the source. Absent if it is not known. */
  readonly location?: PassageLocation;
}

/** The passages of a document. */
export class ChunkList {
  /** Id of the document. */
  readonly documentId!: string;
  /** In the order of the text; empty as long as they are not formed. */
  readonly chunks!: readonly Chunk[];
  /** Number of passages. */
  readonly total!: Count;
}

/** A link to the file of a document. */
export class FileUrl {
  /** Valid for 15 minutes, without an API key. */
  readonly url!: string;
}

export const chunk = (unit: Unit, createdAt: number): Chunk => ({
  id: unit.id,
  position: unit.ordinal,
  content: unit.text,
  type: 'text',
  metadata: null,
  createdAt: isoTime(createdAt),
  ...locationOf(unit),
});

export const chunkList = ({ id: documentId, createdAt, chunks }: DocumentChunks): ChunkList => ({
  documentId,
  chunks: chunks.map((unit) => chunk(unit, createdAt)),
  total: chunks.length,
});
