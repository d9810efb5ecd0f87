import type { DocumentChunks } from '#documents/use-cases';
import { isoTime, type Metadata } from '#kernel';
import type { Count, Timestamp } from '../openapi/scalars.ts';

export class Chunk {
  readonly id!: string;
  /** From 0. */
  readonly position!: Count;
  readonly content!: string;
  readonly type!: 'text' | 'image';
  readonly metadata!: Metadata | null;
  readonly createdAt!: Timestamp;
}

export class ChunkList {
  readonly documentId!: string;
  /** In the order of the text; empty as long as they are not formed. */
  readonly chunks!: readonly Chunk[];
  readonly total!: Count;
}

export class FileUrl {
  /** Valid for 15 minutes, without an API key. */
  readonly url!: string;
}

export const chunkList = ({ id: documentId, createdAt, chunks }: DocumentChunks): ChunkList => ({
  documentId,
  chunks: chunks.map(({ id, ordinal, text }) => ({
    id,
    position: ordinal,
    content: text,
    type: 'text',
    metadata: null,
    createdAt: isoTime(createdAt),
  })),
  total: chunks.length,
});
